/**
 * Chooses components of status pages: a list by group, in which a script finds by name. For an incident each chosen one has a
 * status beside it. Works without a script: the style sheet shows the statuses of those that are chosen.
 */
import { Array, Option, Schema } from "effect"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import type { Component } from "../../../../schema/component/Component.ts"
import { AffectedComponent } from "../../../../schema/incident/Incident.ts"
import type { Page } from "../../../../schema/page/Page.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { FieldNotes, useField, useTyped } from "../../design/FieldState.tsx"
import { Island } from "../../design/Parts.tsx"
import { formBody } from "../../frame/FormBody.ts"

type Pickable = Pick<Component, "id" | "name">

/** The components of a group, under the name that people see. */
export interface Section {
  readonly name: string
  readonly components: ReadonlyArray<Pickable>
}

/** Up to this many components in all, sections are open initially. */
const mostInSight = 16

export const sectionsOf = (pages: ReadonlyArray<Pick<Page, "name" | "groups" | "components">>): ReadonlyArray<Section> =>
  pages.flatMap(({ components, groups, name }) => {
    const grouped = Array.groupBy(components, ({ group }) => group ?? "")
    const named = (group: string) => (pages.length === 1 ? group : `${isolated(name)}: ${isolated(group)}`)
    const rest = pages.length > 1 ? name : groups.length === 0 ? "Components" : "Without a group"
    return [
      { name: rest, components: grouped[""] ?? [] },
      ...groups.map((group) => ({
        name: named(group.name),
        components: grouped[group.id] ?? []
      }))
    ].filter((section) => section.components.length > 0)
  })

/** Ids of the components on offer. Other chosen ones stay chosen. */
const offeredIn = (sections: ReadonlyArray<Section>): ReadonlySet<string> =>
  new Set(sections.flatMap(({ components }) => components.map(({ id }) => id)))

const statuses = [
  ["degraded", "Degraded"],
  ["partial_outage", "Partial outage"],
  ["major_outage", "Major outage"],
  ["maintenance", "Maintenance"],
  ["operational", "Operational"]
] as const

const optionsFor = (current: string): string =>
  renderToString(<>{statuses.map(([value, text]) => <option value={value} selected={value === current}>{text}</option>)}</>)

/** The options are the same for hundreds of rows, so those of each status are rendered once. */
const options = new Map(["", ...statuses.map(([value]) => value)].map((value) => [value, optionsFor(value)]))

const optionsAt = (status: string | undefined) => ({ __html: options.get(status ?? "") ?? options.get("") ?? "" })

const Box = ({ checked, field, of: { id, name } }: {
  readonly of: Pickable
  readonly field: string
  readonly checked: boolean
}) => (
  <label class="choice">
    <input type="checkbox" name={field} value={id} checked={checked} />
    <span>{name}</span>
  </label>
)

const StatusIssue = ({ name, of }: { readonly name: string; readonly of: string }) => (
  <FieldNotes field={useField({ name, label: `Status of ${of}` })} hint={undefined} />
)

/** A row whose box is not checked is not sent: the status is the `key` of its row. */
const StatusRow = ({ at, of, status }: {
  readonly of: Pickable
  /** The index among all offered components. */
  readonly at: number
  readonly status: string | undefined
}) => {
  const name = `components.${at}.status`
  return (
    <div class="pickable">
      <Box of={of} field={`components.${at}.componentId`} checked={status !== undefined} />
      <select name={`${name}:key`} aria-label={`Status of ${of.name}`} dangerouslySetInnerHTML={optionsAt(status)} />
      {status === undefined ? null : <StatusIssue name={name} of={of.name} />}
    </div>
  )
}

const Typed = Schema.Struct({ components: Schema.Array(AffectedComponent) })

/** The components that were chosen in the form, which may be of a page that is not offered any more; null where nothing is kept. */
const useTypedComponents = (): ReadonlyArray<AffectedComponent> | null => {
  const typed = useTyped()
  if (typed === null || ![...typed.keys()].some((name) => name.startsWith("components."))) return null
  const given = formBody([...typed].flatMap(([name, values]) => values.map((value) => [name, value] as const)))
  return Option.match(Schema.decodeUnknownOption(Typed)(given), { onNone: () => [], onSome: ({ components }) => components })
}

const Sections = ({ isChosen, row, sections }: {
  readonly sections: ReadonlyArray<Section>
  readonly isChosen: (id: string) => boolean
  readonly row: (component: Pickable) => ComponentChildren
}) => {
  const total = sections.reduce((sum, { components }) => sum + components.length, 0)
  return (
    <div class="picker">
      {sections.map(({ components, name }) => {
        const chosen = components.filter(({ id }) => isChosen(id)).length
        return (
          <details open={total <= mostInSight || chosen > 0}>
            <summary>
              {name}{" "}
              <span class="note" data-chosen>{chosen === 0 ? counted(components.length, "component") : `${chosen} chosen`}</span>
            </summary>
            {components.map(row)}
          </details>
        )
      })}
    </div>
  )
}

/** A script shows it. */
const SetAll = () => (
  <label class="set-all" data-set-all hidden>
    <span>Set all chosen to</span>
    <select dangerouslySetInnerHTML={{ __html: `<option value="">Choose a status</option>${options.get("") ?? ""}` }} />
  </label>
)

const OtherComponents = ({ count }: { readonly count: number }) =>
  count === 0 ? null : <p class="note">And {counted(count, "component")} of other pages.</p>

export const AffectedComponents = ({ affected, sections }: {
  readonly sections: ReadonlyArray<Section>
  readonly affected: ReadonlyArray<AffectedComponent>
}) => {
  const chosen = useTypedComponents() ?? affected
  if (sections.length === 0) return <p class="note">No status page has a component yet.</p>
  const indexes = new Map([...offeredIn(sections)].map((id, index) => [id, index]))
  const statusOf = new Map<string, string>(chosen.map(({ componentId, status }) => [componentId, status]))
  const others = chosen.filter(({ componentId }) => !indexes.has(componentId))
  return (
    <Island name="filter" keep props={null}>
      <Sections
        sections={sections}
        isChosen={(id) => statusOf.has(id)}
        row={(of) => <StatusRow of={of} at={indexes.get(of.id) ?? 0} status={statusOf.get(of.id)} />}
      />
      <SetAll />
      {others.map(({ componentId, status }, index) => (
        <>
          <input type="hidden" name={`components.${indexes.size + index}.componentId`} value={componentId} />
          <input type="hidden" name={`components.${indexes.size + index}.status:key`} value={status} />
        </>
      ))}
      <OtherComponents count={others.length} />
    </Island>
  )
}

/** Components without a status of their own, in the argument `componentIds`. */
export const ComponentChoices = ({ hint, label, sections, values }: {
  readonly label: string
  readonly hint?: string
  readonly sections: ReadonlyArray<Section>
  readonly values: ReadonlyArray<string>
}) => {
  const field = useField({ name: "componentIds", as: "all", label })
  const chosen = new Set(field.typed?.filter((id) => id !== "") ?? values)
  const offered = offeredIn(sections)
  const others = [...chosen].filter((id) => !offered.has(id))
  if (sections.length === 0 && others.length === 0) return null
  return (
    <div class="field" role="group" aria-labelledby={`${field.id}-label`}>
      <span class="legend" id={`${field.id}-label`}>{label}</span>
      <input type="hidden" name={field.fieldName} value="" />
      <Island name="filter" keep props={null}>
        <Sections
          sections={sections}
          isChosen={(id) => chosen.has(id)}
          row={(of) => (
            <div class="pickable">
              <Box of={of} field={field.fieldName} checked={chosen.has(of.id)} />
            </div>
          )}
        />
      </Island>
      {others.map((id) => <input type="hidden" name={field.fieldName} value={id} />)}
      <OtherComponents count={others.length} />
      <FieldNotes field={field} hint={hint} />
    </div>
  )
}
