/** The components of a status page in their groups: order, source, status, and groups. */
import type { Component } from "../../../../schema/component/Component.ts"
import type { ComponentGroup, Page } from "../../../../schema/page/Page.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { CallButton, CallForm, Check, Field, type Fixed, Submit } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Badge, ComponentBadge, Empty, Island, Item, Panel, Tag } from "../../design/Parts.tsx"
import { view } from "../../frame/View.ts"
import { NewComponent } from "./ComponentFields.tsx"
import { pageHead, readPage } from "./PageHead.tsx"

export const StatusBadge = ({ status }: Pick<Component, "status">) =>
  status === "unknown" ? <Badge tone="none">Unknown</Badge> : <ComponentBadge status={status} />

export const sourceOf = ({ aggregate, manifest, manual, monitorIds, push }: Component): string =>
  push
    ? "Pushed by your program"
    : manifest !== null
    ? `Entry ${manifest.key} of a manifest`
    : manual
    ? "Set by hand"
    : monitorIds.length === 0
    ? "No source"
    : monitorIds.length === 1
    ? "One monitor"
    : `${monitorIds.length} monitors, ${aggregate === "worst" ? "the worst counts" : "the majority counts"}`

/** The list of groups as a call has it, so that a change can name all of them. */
const listed = (groups: ReadonlyArray<ComponentGroup>): Fixed =>
  groups.length === 0
    ? { "groups:list": "" }
    : Object.fromEntries(groups.flatMap(({ id, name }, index) => [[`groups.${index}.id`, id], [`groups.${index}.name`, name]]))

const componentsPath = ({ id }: Page) => `/app/pages/${id}/components` as const

/** The change of a form, and the groups that it names: all others stay as they are. */
interface Change {
  readonly fixed: Fixed
  readonly of: Pick<Page, "groups">
}

/** Moves a component or a group by one place. `order` is undefined at the end of the list. */
const Move = ({ id, name, order, page, to }: {
  readonly page: Page
  readonly id: string
  readonly name: string
  readonly order: Change | undefined
  readonly to: "up" | "down"
}) =>
  order === undefined ? null : (
    <CallButton
      call="set_component_groups"
      id={id}
      fixed={{ pageId: page.id, ...order.fixed }}
      of={order.of}
      then={componentsPath(page)}
      look="plain tight"
    >
      <span aria-hidden="true">{to === "up" ? "↑" : "↓"}</span>
      <span class="sr">Move {name} {to}</span>
    </CallButton>
  )

/** Exchanges two neighbours; undefined without one of them. */
const exchanged = (one: string | undefined, other: string | undefined): Change | undefined =>
  one === undefined || other === undefined
    ? undefined
    : { fixed: { ...listed([]), "components.0.id": other, "components.1.id": one }, of: { groups: [] } }

const Row = ({ after, before, component, page }: {
  readonly page: Page
  readonly component: Component
  readonly before: string | undefined
  readonly after: string | undefined
}) => {
  const { hidden, id, name, override, status } = component
  return (
    <li id={`component-${id}`} data-component={id}>
      <div>
        <a class="title" href={`${componentsPath(page)}/${id}`}>{name}</a>
        <p class="note">{sourceOf(component)}</p>
      </div>
      <span class="buttons">
        {hidden ? <Tag>Hidden</Tag> : null}
        {override === null ? null : <Tag>Overridden</Tag>}
        <StatusBadge status={status} />
        <Move page={page} id={`up-${id}-c`} name={name} order={exchanged(before, id)} to="up" />
        <Move page={page} id={`down-${id}-c`} name={name} order={exchanged(id, after)} to="down" />
      </span>
    </li>
  )
}

interface Section {
  readonly group: ComponentGroup | null
  readonly components: ReadonlyArray<Component>
}

const sectionsOf = ({ components, groups }: Page): ReadonlyArray<Section> =>
  [null, ...groups].map((group) => ({
    group,
    components: components.filter((component) => component.group === (group?.id ?? null))
  }))

const Sections = ({ page }: { readonly page: Page }) => (
  <div class="sections">
    {sectionsOf(page).map(({ components, group }) => (
      <section
        class="panel"
        data-group={group?.id ?? ""}
        aria-label={group?.name ?? "Without a group"}
        hidden={group === null && components.length === 0 && page.groups.length > 0}
      >
        <header>
          <h2>{group?.name ?? (page.groups.length === 0 ? "Components" : "Without a group")}</h2>
        </header>
        <ul class="rows" data-list>
          {components.map((component, index) => (
            <Row page={page} component={component} before={components[index - 1]?.id} after={components[index + 1]?.id} />
          ))}
        </ul>
        {components.length > 0
          ? null
          : (
            <p class="note empty-group">
              {group === null ? "Drag a component here to take it out of its group." : "This group has no components."}
            </p>
          )}
      </section>
    ))}
  </div>
)

/** Exchanges a group for the next one; undefined without a next one. */
const swapped = (list: ReadonlyArray<ComponentGroup>, at: number): Change | undefined => {
  const [one, other] = [list[at], list[at + 1]]
  return one === undefined || other === undefined ? undefined : { fixed: listed([other, one]), of: { groups: [one, other] } }
}

const GroupRow = ({ at, group, page }: {
  readonly page: Page
  readonly at: number
  readonly group: ComponentGroup
}) => {
  const { collapsed, id, name } = group
  const inIt = page.components.filter((component) => component.group === id).length
  return (
    <Item name={name} note={`${counted(inIt, "component")}${collapsed ? ", collapsed" : ""}`}>
      <span class="buttons">
        <Move page={page} id={`group-up-${id}`} name={name} order={swapped(page.groups, at - 1)} to="up" />
        <Move page={page} id={`group-down-${id}`} name={name} order={swapped(page.groups, at)} to="down" />
        <CallButton
          call="set_component_groups"
          id={`group-delete-${id}`}
          fixed={{ pageId: page.id, ...listed([]) }}
          of={{ groups: [group] }}
          said={`Group ${name} deleted. Its components stay on the page.`}
          look="danger tight"
        >
          Delete<span class="sr">{" "}{name}</span>
        </CallButton>
      </span>
    </Item>
  )
}

const Groups = ({ page }: { readonly page: Page }) => {
  const next = page.groups.length
  return (
    <Panel id="groups" title="Groups" flush>
      {next === 0 ? null : <ul class="rows">{page.groups.map((group, at) => <GroupRow page={page} at={at} group={group} />)}</ul>}
      <div class="body">
        <CallForm
          call="set_component_groups"
          id="new-group"
          fixed={{ pageId: page.id, ...(next === 0 ? {} : listed(page.groups)) }}
          of={page}
          said="Group added"
        >
          <Field name={`groups.${next}.name`} label="New group" required attributes={{ maxlength: 80 }} />
          <Check name={`groups.${next}.collapsed`} label="Collapsed until a visitor opens it" checked={false} />
          <Submit look="plain">Add group</Submit>
        </CallForm>
      </div>
    </Panel>
  )
}

const Components = ({ page }: { readonly page: Page }) => {
  const may = useMay("set_component_groups")
  return (
    <div class="split">
      <div class="stack">
        {page.components.length === 0
          ? (
            <section class="panel">
              <Empty
                title="The page is empty"
                text="Add what your customers use, such as Website, API or Checkout. Each component takes its status from monitors, pushes or you."
              />
            </section>
          )
          : may
          ? (
            <Island name="arrange" keep props={{ pageId: page.id }}>
              <Sections page={page} />
            </Island>
          )
          : <Sections page={page} />}
        <Groups page={page} />
      </div>
      <NewComponent page={page} />
    </div>
  )
}

export const componentsView = view("/app/pages/:id/components", "pages", function*() {
  const page = yield* readPage
  return {
    title: `Components of ${page.name}`,
    head: pageHead(page, "/components"),
    body: <Components page={page} />
  }
})
