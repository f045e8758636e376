/** A picker for the rule of a series, which says the next five times. The field of the rule shows what was picked. */
import { render } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import "../../../pages/html/TextMarkup.ts"
import { momentsIn } from "../../../domain/tools/time/Moments.ts"
import { formBody } from "../../frame/FormBody.ts"
import { make } from "../Dom.ts"

interface Props {
  readonly form: string
  readonly locale: string
  /** The name of the field with the first start. */
  readonly start: string
}

const isProps = (given: unknown): given is Props => typeof given === "object" && given !== null && "start" in given

const weekdays = [
  ["MO", "Monday"],
  ["TU", "Tuesday"],
  ["WE", "Wednesday"],
  ["TH", "Thursday"],
  ["FR", "Friday"],
  ["SA", "Saturday"],
  ["SU", "Sunday"]
] as const

const ordinals = [["1", "first"], ["2", "second"], ["3", "third"], ["4", "fourth"], ["-1", "last"]] as const

interface Picked {
  readonly every: "" | "DAILY" | "WEEKLY" | "MONTHLY" | "rule"
  readonly interval: string
  readonly days: ReadonlyArray<string>
  /** Of a month: its day, or an ordinal with a weekday. */
  readonly on: "date" | "weekday"
  readonly date: string
  readonly ordinal: string
  readonly times: string
}

const nothing: Picked = { every: "", interval: "1", days: [], on: "date", date: "", ordinal: "1", times: "" }

/** The rule in the words of RFC 5545. */
const ruleOf = ({ date, days, every, interval, on, ordinal, times }: Picked): string => {
  const byDay = every === "WEEKLY"
    ? days.join(",")
    : every === "MONTHLY" && on === "weekday"
    ? days.slice(0, 1).map((day) => `${ordinal}${day}`).join("")
    : ""
  const byDate = every === "MONTHLY" && on === "date" ? date : ""
  return [
    `FREQ=${every}`,
    interval === "1" || interval === "" ? "" : `INTERVAL=${interval}`,
    byDay === "" ? "" : `BYDAY=${byDay}`,
    byDate === "" ? "" : `BYMONTHDAY=${byDate}`,
    times === "" ? "" : `COUNT=${times}`
  ].filter((part) => part !== "").join(";")
}

const units = { DAILY: ["day", "days"], WEEKLY: ["week", "weeks"], MONTHLY: ["month", "months"] } as const

const Choose = ({ label, of, set, value }: {
  readonly label: string
  readonly value: string
  readonly of: ReadonlyArray<readonly [value: string, name: string]>
  readonly set: (value: string) => void
}) => (
  <select aria-label={label} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
    {of.map(([one, name]) => <option value={one}>{name}</option>)}
  </select>
)

const Amount = ({ label, most, placeholder, set, value }: {
  readonly placeholder?: string
  readonly label: string
  readonly value: string
  readonly most: number
  readonly set: (value: string) => void
}) => (
  <input
    type="number"
    min={1}
    max={most}
    placeholder={placeholder}
    aria-label={label}
    value={value}
    onInput={({ currentTarget }) => set(currentTarget.value)}
  />
)

type Change = (change: Partial<Picked>) => void

const Days = ({ change, picked: { days } }: { readonly picked: Picked; readonly change: Change }) => (
  <div class="segments" role="group" aria-label="Weekdays">
    {weekdays.map(([day, name]) => (
      <button
        type="button"
        aria-pressed={days.includes(day)}
        aria-label={name}
        onClick={() =>
          change({ days: weekdays.flatMap(([one]) => (one === day) === days.includes(one) ? [] : [one]) })}
      >
        {name.slice(0, 2)}
      </button>
    ))}
  </div>
)

const Month = ({ change, picked: { date, days, on, ordinal } }: { readonly picked: Picked; readonly change: Change }) => (
  <>
    <Choose
      label="On"
      value={on}
      of={[["date", "on day"], ["weekday", "on the"]]}
      set={(value) => change({ on: value === "date" ? "date" : "weekday", days: days.length === 0 ? ["SU"] : days.slice(0, 1) })}
    />
    {on === "date"
      ? <Amount label="Day of the month" most={31} value={date} set={(value) => change({ date: value })} />
      : (
        <>
          <Choose label="Which" value={ordinal} of={ordinals} set={(value) => change({ ordinal: value })} />
          <Choose label="Weekday" value={days[0] ?? "SU"} of={weekdays} set={(value) => change({ days: [value] })} />
        </>
      )}
  </>
)

const isEvery = (value: string): value is Picked["every"] => ["", "DAILY", "WEEKLY", "MONTHLY", "rule"].includes(value)

/** The answer of the interface: the next times, or what is wrong with the rule. */
const readTimes = async (query: string, signal: AbortSignal): Promise<ReadonlyArray<string> | string> => {
  const answer = await fetch(`/api/v1/maintenance/times?${query}`, { signal })
  const body: {
    readonly data?: ReadonlyArray<{ readonly at: string }>
    readonly error?: { readonly message?: string; readonly details?: ReadonlyArray<{ readonly message: string }> }
  } = await answer.json()
  return body.data?.map(({ at }) => at) ?? body.error?.details?.[0]?.message ?? body.error?.message ?? "The rule cannot be read."
}

type Times = ReadonlyArray<string> | string | null

/** The next times of what the form says now; null while it says no rule or no start. */
const useTimes = (fields: HTMLFormElement, start: string, zone: () => string, turn: number): Times => {
  const [times, setTimes] = useState<Times>(null)
  useEffect(() => {
    const first = fields.elements.namedItem(start)
    const begins = first instanceof HTMLInputElement ? formBody([[start, first.value]])["scheduledStart"] : undefined
    const rule = fields.elements.namedItem("recurrence.rule")
    const text = rule instanceof HTMLInputElement ? rule.value : ""
    if (text === "" || typeof begins !== "string") return setTimes(null)
    const asked = new AbortController()
    const query = new URLSearchParams({ rule: text, start: begins, timezone: zone(), limit: "5" }).toString()
    const failed = () => asked.signal.aborted || setTimes("The next times could not be read. Type on to try again.")
    const timer = setTimeout(() => void readTimes(query, asked.signal).then(setTimes, failed), 200)
    return () => {
      clearTimeout(timer)
      asked.abort()
    }
  }, [turn])
  return times
}

const Options = ({ change, picked }: { readonly picked: Picked; readonly change: Change }) => {
  const { every, interval, times } = picked
  if (every === "" || every === "rule") return null
  return (
    <>
      <label class="amount">
        every{" "}
        <Amount
          label={`Every so many ${units[every][1]}`}
          most={366}
          value={interval}
          set={(value) => change({ interval: value })}
        />{" "}
        {units[every][interval === "1" ? 0 : 1]}
      </label>
      {every === "WEEKLY" ? <Days picked={picked} change={change} /> : null}
      {every === "MONTHLY" ? <Month picked={picked} change={change} /> : null}
      <label class="amount">
        up to{" "}
        <Amount
          label="Number of windows; empty for no end"
          placeholder="any"
          most={1000}
          value={times}
          set={(value) => change({ times: value })}
        />{" "}
        windows
      </label>
    </>
  )
}

const NextTimes = ({ every, moments, times }: {
  readonly every: Picked["every"]
  readonly times: Times
  readonly moments: Intl.DateTimeFormat
}) => (
  <div role="status">
    {every === "" ? null : times === null ?
      <p class="note">Choose when the first window starts to see the next times.</p> :
      typeof times === "string" ?
      <p class="issue">{times}</p> :
      (
        <>
          <p class="note">{times.length === 1 ? "The only window starts:" : `The next ${times.length} windows start:`}</p>
          <ol class="times">{times.map((at) => <li>{moments.format(Date.parse(at))}</li>)}</ol>
        </>
      )}
  </div>
)

const Picker = ({ fields, locale, start, show, zone }: Pick<Props, "locale" | "start"> & {
  readonly fields: HTMLFormElement
  readonly show: (isRule: boolean) => void
  readonly zone: () => string
}) => {
  const rule = fields.elements.namedItem("recurrence.rule")
  const [picked, setPicked] = useState<Picked>(() =>
    rule instanceof HTMLInputElement && rule.value !== "" ? { ...nothing, every: "rule" } : nothing
  )
  const [turn, setTurn] = useState(0)
  const times = useTimes(fields, start, zone, turn)
  const change: Change = (given) => {
    const next = { ...picked, ...given }
    setPicked(next)
    show(next.every === "rule")
    if (next.every === "rule" || !(rule instanceof HTMLInputElement)) return
    rule.value = next.every === "" ? "" : ruleOf(next)
    rule.dispatchEvent(new Event("input", { bubbles: true }))
  }
  useLayoutEffect(() => {
    show(picked.every === "rule")
    const changed = () => setTurn((before) => before + 1)
    fields.addEventListener("input", changed)
    return () => fields.removeEventListener("input", changed)
  }, [])
  const { every } = picked
  const known = Intl.supportedValuesOf("timeZone").includes(zone()) ? zone() : "UTC"
  const moments = momentsIn(locale, known, "announced")
  return (
    <div class="picker-lines">
      <div class="inline">
        <Choose
          label="Repeats"
          value={every}
          of={[
            ["", "Does not repeat"],
            ["DAILY", "Daily"],
            ["WEEKLY", "Weekly"],
            ["MONTHLY", "Monthly"],
            ["rule", "By a rule…"]
          ]}
          set={(value) => isEvery(value) && change({ every: value, days: [] })}
        />
        <Options picked={picked} change={change} />
      </div>
      <NextTimes every={every} times={times} moments={moments} />
    </div>
  )
}

export const mount = (element: HTMLElement, props: unknown): void => {
  const fields = element.closest("form")
  if (fields === null || !isProps(props)) return
  const rest = [...element.children]
  const box = make("div")
  element.prepend(box)
  const zone = () => {
    const field = fields.elements.namedItem("recurrence.timezone:key")
    return field instanceof HTMLInputElement && field.value !== "" ? field.value : "UTC"
  }
  const show = (isRule: boolean) => {
    for (const one of rest) if (one instanceof HTMLElement && one.tagName !== "DATALIST") one.hidden = !isRule
  }
  render(<Picker fields={fields} locale={props.locale} start={props.start} show={show} zone={zone} />, box)
}
