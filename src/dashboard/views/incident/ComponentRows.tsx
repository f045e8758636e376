/** Components with the status that an incident gives each of them: rows of a form. */
import { Option, Schema } from "effect"
import { useContext } from "preact/hooks"
import type { Component } from "../../../../schema/component/Component.ts"
import { AffectedComponent } from "../../../../schema/incident/Incident.ts"
import { counted } from "../../design/Counted.ts"
import { FormContext, useTyped } from "../../design/FieldState.tsx"
import { Select } from "../../design/Form.tsx"
import { formBody } from "../../frame/FormBody.ts"

const statuses = [
  ["operational", "Operational"],
  ["degraded", "Degraded"],
  ["partial_outage", "Partial outage"],
  ["major_outage", "Major outage"],
  ["maintenance", "Maintenance"]
] as const

/** Rows of a form at most; what else is affected, the operation takes. */
const most = 100

const Typed = Schema.Struct({ components: Schema.Array(AffectedComponent) })

/** The rows that were typed; null where nothing is kept. */
const useTypedRows = (): ReadonlyArray<AffectedComponent> | null => {
  const typed = useTyped()
  if (typed === null) return null
  const given = formBody([...typed].flatMap(([name, values]) => values.map((value) => [name, value] as const)))
  if (![...typed.keys()].some((name) => name.startsWith("components."))) return null
  return Option.match(Schema.decodeUnknownOption(Typed)(given), { onNone: () => [], onSome: ({ components }) => components })
}

/** What a template affects beyond the components that are offered. */
const Others = ({ from, of }: { readonly of: ReadonlyArray<AffectedComponent>; readonly from: number }) =>
  of.length === 0 ? null : (
    <p class="note">
      {of.map(({ componentId, status }, index) => (
        <>
          <input type="hidden" name={`components.${from + index}.componentId:key`} value={componentId} />
          <input type="hidden" name={`components.${from + index}.status`} value={status} />
        </>
      ))}
      And {counted(of.length, "component")} of other pages.
    </p>
  )

/** Rows for a template, with what it affects on other pages. */
export const TemplateRows = ({ affected, components }: {
  readonly components: ReadonlyArray<Pick<Component, "id" | "name">>
  readonly affected: ReadonlyArray<AffectedComponent>
}) => {
  const all = useTypedRows() ?? affected
  return (
    <>
      <ComponentRows components={components} affected={all} />
      <Others
        of={all.filter(({ componentId }) => !components.slice(0, most).some(({ id }) => id === componentId))}
        from={most}
      />
    </>
  )
}

/** A row that is left as it is is not sent. */
export const ComponentRows = ({ affected, components }: {
  readonly components: ReadonlyArray<Pick<Component, "id" | "name">>
  readonly affected: ReadonlyArray<AffectedComponent>
}) => {
  const { id: form } = useContext(FormContext)
  const all = useTypedRows() ?? affected
  return components.length === 0 ? <p class="note">No status page has a component yet.</p> : (
    // What was typed is found by the component: the rows may be those of another page now.
    <FormContext.Provider value={{ id: form, submitted: null }}>
      <div class="columns">
        {components.slice(0, most).map(({ id, name }, index) => (
          <div>
            <input type="hidden" name={`components.${index}.componentId:key`} value={id} />
            <Select
              name={`components.${index}.status`}
              label={name}
              value={all.find(({ componentId }) => componentId === id)?.status ?? ""}
              options={[["", "Not affected"], ...statuses]}
            />
          </div>
        ))}
      </div>
    </FormContext.Provider>
  )
}
