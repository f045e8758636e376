/** The components of a page, by group. */
import type { ComponentChildren } from "preact"
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { ComponentGroup } from "../../../schema/page/Page.ts"
import { namedIn } from "../../domain/page/Languages.ts"
import { pageStatus } from "../../domain/page/PageStatus.ts"
import type { ShownComponent } from "../../domain/page/snapshot/Snapshot.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { placeholderOf } from "./Apart.ts"
import type { PageContext } from "./Context.ts"
import { StatusIcon } from "./Icons.tsx"
import { ResponseChart } from "./ResponseChart.tsx"
import { offeredTypes } from "./Subscribe.tsx"
import { UptimeBars } from "./UptimeBars.tsx"

const State = ({ context, status }: { readonly context: PageContext; readonly status: EffectiveStatus }) => (
  <span class={`state s-${status}`}>
    <StatusIcon status={status} />
    <b>{context.words.component[status]}</b>
  </span>
)

/** Leads to a subscription of this component alone. */
const Bell = ({ component: { key, name }, context: { language, page: { page: { settings, url } }, subscription } }: {
  readonly component: ShownComponent
  readonly context: PageContext
}) =>
  offeredTypes(settings.subscriptions ?? {}).length === 0
    ? null
    : (
      <a
        class="bell"
        href={`${url}/subscribe?component=${encodeURIComponent(key)}`}
        aria-label={namedIn(language, subscription.subscribe, isolated(name))}
      />
    )

export const ComponentRow = ({ component, context }: { readonly component: ShownComponent; readonly context: PageContext }) => (
  <li class="row" id={component.id}>
    <div class="line">
      <p class="name">
        {component.name}
        <Bell component={component} context={context} />
      </p>
      <State context={context} status={component.status} />
    </div>
    {component.description === null ? null : <p class="note" dir="auto">{component.description}</p>}
    {component.statusMessage === null ? null : <p class="note" dir="auto">{component.statusMessage}</p>}
    {component.days === null ? null : <UptimeBars component={component} context={context} />}
    <ResponseChart component={component} context={context} />
  </li>
)

/** A list with placeholders for its rows. */
const Rows = ({ class: name, components }: {
  readonly class: string
  readonly components: ReadonlyArray<ShownComponent>
}) => <ul class={name} dangerouslySetInnerHTML={{ __html: components.map(({ id }) => placeholderOf(id)).join("") }} />

/** Above this many components, visitors can search, and every group that works is folded, whatever its owner chose. */
const mostShown = 20

const isLong = ({ components }: PageContext): boolean => components.length > mostShown

const Group = ({ components, context, group }: {
  readonly components: ReadonlyArray<ShownComponent>
  readonly context: PageContext
  readonly group: ComponentGroup
}) => {
  // Same rule as for the page: maintenance of one component must not mask the outage of another.
  const status = pageStatus(components.map((component) => component.status), [])
  const head: ComponentChildren = (
    <>
      <h3>
        <span class="title">{group.name}</span>
        {isLong(context) ? <span class="count">{context.formats.count(components.length)}</span> : null}
        {group.description === null ? null : <span class="note" dir="auto">{group.description}</span>}
      </h3>
      <State context={context} status={status} />
    </>
  )
  const list = <Rows class="list" components={components} />
  // A collapsed group must not hide a problem, so it opens when one of its components is not operational.
  return group.collapsed || isLong(context)
    ? (
      <details class="card group" id={group.id} open={status !== "operational" && status !== "unknown"}>
        <summary>{head}</summary>
        {list}
      </details>
    )
    : (
      <div class="card group" id={group.id}>
        <div class="head">{head}</div>
        {list}
      </div>
    )
}

/** Shown by the script, which does the search. */
const Find = ({ context: { words } }: { readonly context: PageContext }) => (
  <div class="find" hidden>
    <input
      type="search"
      id="find"
      aria-label={words.findService}
      placeholder={words.findService}
      autocomplete="off"
      spellcheck={false}
      maxlength={100}
    />
    <p class="note" role="status" data-none={words.noneFound} />
  </div>
)

export const Components = ({ context }: { readonly context: PageContext }) => {
  const { components, page: { groups } } = context
  const ungrouped = components.filter(({ group }) => groups.every(({ id }) => id !== group))
  return (
    <section aria-labelledby="services">
      <h2 class="label" id="services">{context.words.services}</h2>
      {isLong(context) ? <Find context={context} /> : null}
      {components.length === 0 ? <p class="note">{context.words.noComponents}</p> : null}
      {ungrouped.length === 0
        ? null
        : <Rows class="card list" components={ungrouped} />}
      {groups.map((group) => (
        <Group
          group={group}
          context={context}
          components={components.filter((component) => component.group === group.id)}
        />
      ))}
    </section>
  )
}
