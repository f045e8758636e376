/** Fields for single settings of a monitor, with the limits of the schema. */
import type { ComponentChildren } from "preact"
import type { MonitorUpdate } from "../../../../../schema/monitor/Monitor.ts"
import { writeDuration } from "../../../../domain/tools/time/SpokenDuration.ts"
import { DurationField } from "../../../design/DurationField.tsx"
import { Field } from "../../../design/Form.tsx"
import { useNumber } from "../../../design/Time.tsx"
import type { AnswerOf } from "../../../frame/DashboardApi.ts"
import { limitsOf, rangeOf } from "./FieldLimits.ts"

/** The monitor that is edited; null for a new one. */
export type Edited = AnswerOf<"get_monitor"> | null

interface SettingProps {
  readonly name: keyof MonitorUpdate
  readonly label: string
  readonly hint?: ComponentChildren
  readonly value: string | number | null | undefined
  readonly required?: boolean
  readonly placeholder?: string
}

/** A line of text. Empty clears what can be cleared. */
export const TextSetting = (
  { as, hint, label, name, placeholder, required = false, type = "text", value }: SettingProps & {
    readonly type?: "text" | "url"
    readonly as?: "socket" | "host"
  }
) => (
  <Field
    name={name}
    as={as ?? (required ? "text" : "text?")}
    type={type}
    label={label}
    value={value}
    required={required}
    attributes={{
      ...limitsOf(name),
      ...(placeholder === undefined ? {} : { placeholder })
    }}
    {...(hint === undefined ? {} : { hint })}
  />
)

/** A whole number; the hint ends with its range. Empty clears it if `clears`, and otherwise leaves the default. */
export const NumberSetting = (
  { clears = false, hint, label, least, name, placeholder, required = false, unit, value }: SettingProps & {
    readonly unit?: string
    readonly clears?: boolean
    /** A plan's limit, where it is above that of the schema. */
    readonly least?: number
  }
) => {
  const { count } = useNumber()
  const limits = limitsOf(name)
  return (
    <Field
      name={name}
      type="number"
      as={clears ? "number?" : "number"}
      label={label}
      value={value}
      required={required}
      attributes={{
        ...limits,
        ...(least === undefined ? {} : { min: least }),
        step: 1,
        inputmode: "numeric",
        ...(placeholder === undefined ? {} : { placeholder })
      }}
      hint={
        <>
          {hint === undefined ? null : <>{hint}{" "}</>}
          {least === undefined ? rangeOf(name, count) : `${count(least)} to ${count(Number(limits["max"] ?? 0))}`}
          {unit === undefined ? "" : ` ${unit}`}.
        </>
      }
    />
  )
}

/** A duration as people say it; the hint ends with its range. Empty clears it if `clears`, and otherwise leaves the default. */
export const DurationSetting = (
  { clears = false, hint, label, least, name, placeholder, required = false, unit, value }: Omit<SettingProps, "value"> & {
    /** The unit of the setting. */
    readonly unit: "seconds" | "millis"
    readonly value: number | null | undefined
    readonly clears?: boolean
    /** A plan's limit, where it is above that of the schema. */
    readonly least?: number
  }
) => {
  const { max, min } = limitsOf(name)
  const size = unit === "seconds" ? 1000 : 1
  const from = least ?? Number(min)
  return (
    <DurationField
      name={name}
      as={clears ? `${unit}?` : unit}
      label={label}
      value={value}
      required={required}
      {...(placeholder === undefined ? {} : { placeholder })}
      hint={
        <>
          {hint === undefined ? null : <>{hint}{" "}</>}
          {min === undefined || max === undefined
            ? null
            : `${writeDuration(from * size)} to ${writeDuration(Number(max) * size)}.`}
        </>
      }
    />
  )
}
