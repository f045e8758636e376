/** The components of a status page in their groups: order, source, status, and groups. */
import { Effect } from "effect"
import type { Component } from "../../../../schema/component/Component.ts"
import type { ComponentGroup, Page } from "../../../../schema/page/Page.ts"
import { counted } from "../../design/Counted.ts"
import { Buttons, CallButton, CallForm, Check, Field, type Fixed, useMay } from "../../design/Form.tsx"
import { Badge, ComponentBadge, Empty, Island, Panel, Tag } from "../../design/Parts.tsx"
import { read } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { NewComponent } from "./ComponentFields.tsx"
import { PageFrame } from "./PageFrame.tsx"

export const StatusBadge = ({ status }: Pick<Component, "status">) =>
  status === "unknown" ? <Badge tone="none">Unknown</Badge> : <ComponentBadge status={status} />

/** The source of the status, in words. */
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

/** Exchanges two neighbours. */
const Move = ({ group, name, one, other, page, to }: {
  readonly page: Page
  readonly name: string
  readonly group: string
  readonly one: string | undefined
  readonly other: string | undefined
  readonly to: "up" | "down"
}) =>
  one === undefined || other === undefined ? null : (
    <CallButton
      call="set_component_groups"
      id={`${to}-${to === "up" ? other : one}-${group}`}
      fixed={{ pageId: page.id, ...listed(page.groups), "components.0.id": other, "components.1.id": one }}
      then={`/app/pages/${page.id}/components`}
      look="plain tight"
    >
      <span aria-hidden="true">{to === "up" ? "↑" : "↓"}</span>
      <span class="sr">Move {name} {to}</span>
    </CallButton>
  )

const Row = ({ after, before, component, page }: {
  readonly page: Page
  readonly component: Component
  readonly before: string | undefined
  readonly after: string | undefined
}) => (
  <li id={`component-${component.id}`} data-component={component.id}>
    <div>
      <a class="title" href={`/app/pages/${component.pageId}/components/${component.id}`}>{component.name}</a>
      <p class="note">{sourceOf(component)}</p>
    </div>
    <span class="buttons">
      {component.hidden ? <Tag>Hidden</Tag> : null}
      {component.override === null ? null : <Tag>Overridden</Tag>}
      <StatusBadge status={component.status} />
      <Move
        page={page}
        name={component.name}
        group="c"
        one={before}
        other={before === undefined ? undefined : component.id}
        to="up"
      />
      <Move
        page={page}
        name={component.name}
        group="c"
        one={after === undefined ? undefined : component.id}
        other={after}
        to="down"
      />
    </span>
  </li>
)

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
        {...(group === null && components.length === 0 && page.groups.length > 0 ? { hidden: true } : {})}
      >
        <header>
          <h2>{group?.name ?? (page.groups.length === 0 ? "Components" : "Without a group")}</h2>
        </header>
        <ul class="rows" data-list>
          {components.map((component, index) => (
            <Row page={page} component={component} before={components[index - 1]?.id} after={components[index + 1]?.id} />
          ))}
        </ul>
        {components.length === 0 ? <p class="note empty-group">No component is in this group.</p> : null}
      </section>
    ))}
  </div>
)

const swapped = (list: ReadonlyArray<ComponentGroup>, at: number): ReadonlyArray<ComponentGroup> => {
  const [one, other] = [list[at], list[at + 1]]
  return one === undefined || other === undefined ? list : [...list.slice(0, at), other, one, ...list.slice(at + 2)]
}

const GroupRow = ({ at, page }: { readonly page: Page; readonly at: number }) => {
  const group = page.groups[at]
  if (group === undefined) return null
  const back = `/app/pages/${page.id}/components` as const
  const others = page.groups.filter(({ id }) => id !== group.id)
  const inIt = page.components.filter((component) => component.group === group.id).length
  const common = { call: "set_component_groups", then: back } as const
  return (
    <li>
      <div>
        <b>{group.name}</b>
        <p class="note">{counted(inIt, "component")}{group.collapsed ? ", collapsed" : ""}</p>
      </div>
      <span class="buttons">
        {at === 0 ?
          null :
          (
            <CallButton
              {...common}
              id={`group-up-${group.id}`}
              fixed={{ pageId: page.id, ...listed(swapped(page.groups, at - 1)) }}
              look="plain tight"
            >
              <span aria-hidden="true">↑</span>
              <span class="sr">Move {group.name} up</span>
            </CallButton>
          )}
        {at === page.groups.length - 1 ?
          null :
          (
            <CallButton
              {...common}
              id={`group-down-${group.id}`}
              fixed={{ pageId: page.id, ...listed(swapped(page.groups, at)) }}
              look="plain tight"
            >
              <span aria-hidden="true">↓</span>
              <span class="sr">Move {group.name} down</span>
            </CallButton>
          )}
        <CallButton
          {...common}
          id={`group-delete-${group.id}`}
          fixed={{ pageId: page.id, ...listed(others) }}
          said={`Group ${group.name} deleted. Its components stay on the page.`}
          look="danger tight"
        >
          Delete<span class="sr">{" "}{group.name}</span>
        </CallButton>
      </span>
    </li>
  )
}

const Groups = ({ page }: { readonly page: Page }) => {
  const next = page.groups.length
  return (
    <Panel id="groups" title="Groups" flush>
      {next === 0 ? null : <ul class="rows">{page.groups.map((_, at) => <GroupRow page={page} at={at} />)}</ul>}
      <div class="body">
        <CallForm
          call="set_component_groups"
          id="new-group"
          fixed={{ pageId: page.id, ...(page.groups.length === 0 ? {} : listed(page.groups)) }}
          then={`/app/pages/${page.id}/components`}
          said="Group added"
        >
          <Field name={`groups.${next}.name`} label="New group" required attributes={{ maxlength: 80 }} />
          <Check name={`groups.${next}.collapsed`} label="Collapsed until a visitor opens it" checked={false} />
          <Buttons>
            <button class="plain">Add group</button>
          </Buttons>
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
            <Island name="arrange" keep props={{ pageId: page.id, groups: page.groups.map(({ id, name }) => [id, name]) }}>
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

export const componentsView = view(
  "/app/pages/:id/components",
  "pages",
  Effect.gen(function*() {
    const { params } = yield* Visit
    const page = yield* read("get_page", { pageId: params["id"] ?? "" })
    return {
      title: `Components of ${page.name}`,
      body: (
        <PageFrame page={page} tab="/components">
          <Components page={page} />
        </PageFrame>
      )
    }
  })
)
