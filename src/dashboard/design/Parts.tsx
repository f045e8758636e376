/** Parts of views: heads, panels, badges, figures, facts, lists, tabs, empty states. */
import type { ComponentChildren } from "preact"
import type { ComponentStatus } from "../../../schema/component/Component.ts"
import type { ProgressStatus } from "../../../schema/incident/Incident.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import type { OperationId } from "../frame/DashboardApi.ts"
import { useVisit } from "../frame/Visit.ts"
import { May } from "./May.tsx"

type Children = { readonly children?: ComponentChildren }

/** The colour of a state, never its only sign: a word stands beside it. */
export type Tone = "good" | "warn" | "bad" | "partial" | "calm" | "none"

export interface TabsProps {
  readonly label: string
  /** So many that they stand closer together. */
  readonly close?: true
  readonly here: string
  /** `call`: the operation that the view is for, if not everybody may call it. */
  readonly of: ReadonlyArray<readonly [path: string, name: string, call?: OperationId]>
}

/** Views of one thing, as links. */
export const Tabs = ({ close, here, label, of }: TabsProps) => (
  <nav class={close === true ? "tabs close" : "tabs"} aria-label={label}>
    {of.map(([path, name, call]) => {
      const link = <a href={path} aria-current={path === here ? "page" : undefined}>{name}</a>
      return call === undefined ? link : <May call={call}>{link}</May>
    })}
  </nav>
)

export interface HeadProps {
  readonly title: string
  readonly note?: ComponentChildren
  /** The views above this one: path and name. */
  readonly crumbs?: ReadonlyArray<readonly [string, string]>
  readonly actions?: ComponentChildren
  readonly tabs?: TabsProps
}

export const Head = ({ actions, crumbs = [], note, tabs, title }: HeadProps) => (
  <>
    <header class="head">
      <div>
        {crumbs.length === 0 ? null : (
          <nav class="crumbs" aria-label="Breadcrumb">
            {crumbs.map(([path, name], index) => (
              <>
                {index === 0 ? null : <span aria-hidden="true">/</span>}
                <a href={path}>{name}</a>
              </>
            ))}
          </nav>
        )}
        <h1>{title}</h1>
        {note === undefined ? null : <p class="note">{note}</p>}
      </div>
      {actions === undefined ? null : <div class="actions">{actions}</div>}
    </header>
    {tabs === undefined ? null : <Tabs {...tabs} />}
  </>
)

/** A titled box. `flush` leaves out the padding, for lists and tables. */
export const Panel = ({ actions, children, flush = false, id, title }: Children & {
  readonly title: string
  readonly id: string
  readonly actions?: ComponentChildren
  readonly flush?: boolean
}) => (
  <section class="panel" aria-labelledby={`${id}-title`} id={id}>
    <header>
      <h2 id={`${id}-title`}>{title}</h2>
      {actions}
    </header>
    {flush ? children : <div class="body">{children}</div>}
  </section>
)

export const Box = ({ children, label }: Children & { readonly label?: string }) => (
  <section class="panel" aria-label={label}>
    <div class="body">{children}</div>
  </section>
)

/** A row of a list: a name, which may lead to a view, a note below it, and the children at its end. */
export const Item = ({ children, href, id, more, name, note = null }: Children & {
  readonly name: ComponentChildren
  readonly href?: string | undefined
  readonly id?: string
  readonly note?: ComponentChildren
  readonly more?: ComponentChildren
}) => (
  <li id={id}>
    <div>
      {href === undefined ? <b>{name}</b> : <a class="title" href={href}>{name}</a>}
      {note === null ? null : <p class="note">{note}</p>}
      {more}
    </div>
    {children}
  </li>
)

/** Text of machines that can be long, in a list: its first lines, with the whole in its title. */
export const Clamp = ({ children, look }: { readonly children: string; readonly look?: "quoted" }) => (
  <span class={look === undefined ? "clamp" : `clamp ${look}`} title={children}>{children}</span>
)

export const Badge = ({ children, tone }: Children & { readonly tone: Tone }) => (
  <span class={`badge is-${tone}`}>{children}</span>
)

export const StateBadge = ({ of: [tone, word] }: { readonly of: readonly [Tone, string] }) => <Badge tone={tone}>{word}</Badge>

export const Dot = ({ tone }: { readonly tone: Tone }) => <span class={`dot is-${tone}`} aria-hidden="true" />

const monitorTones: Readonly<Record<MonitorState, Tone>> = {
  up: "good",
  degraded: "warn",
  down: "bad",
  paused: "none",
  pending: "calm"
}

export const toneOfMonitor = (state: MonitorState): Tone => monitorTones[state]

const firstUpper = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

export const inWords = (name: string): string => firstUpper(name.replaceAll("_", " "))

export const MonitorBadge = ({ state }: { readonly state: MonitorState }) => (
  <Badge tone={monitorTones[state]}>{inWords(state)}</Badge>
)

const componentTones: Readonly<Record<ComponentStatus, Tone>> = {
  operational: "good",
  degraded: "warn",
  partial_outage: "partial",
  major_outage: "bad",
  maintenance: "calm"
}

export const ComponentBadge = ({ status }: { readonly status: ComponentStatus }) => (
  <Badge tone={componentTones[status]}>{inWords(status)}</Badge>
)

const incidentTones: Readonly<Record<ProgressStatus, Tone>> = {
  investigating: "bad",
  identified: "bad",
  monitoring: "warn",
  resolved: "good",
  scheduled: "calm",
  in_progress: "calm",
  completed: "good"
}

export const IncidentBadge = ({ status }: { readonly status: ProgressStatus }) => (
  <Badge tone={incidentTones[status]}>{inWords(status)}</Badge>
)

export const Tag = ({ children }: Children) => <span class="tag">{children}</span>

export const Figures = ({ of }: {
  readonly of: ReadonlyArray<readonly [name: string, value: ComponentChildren, note?: ComponentChildren]>
}) => (
  <dl class="figures">
    {of.map(([name, value, note]) => (
      <div>
        <dt>{name}</dt>
        <dd>
          {value}
          {note === undefined ? null : (
            <>
              {" "}
              <small>{note}</small>
            </>
          )}
        </dd>
      </div>
    ))}
  </dl>
)

/** Names with their values; a fact without a value is left out. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<readonly [name: string, value: ComponentChildren]> }) => (
  <dl class="facts">
    {of.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
)

/** Says why nothing is here and what to do about it. */
export const Empty = ({ children, text, title }: Children & { readonly title: string; readonly text: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{text}</p>
    {children === undefined ? null : <div class="buttons">{children}</div>}
  </div>
)

/** Why there are no rows: a note, or a title with what to do about it. */
type None = string | readonly [title: string, text: string]

/** Rows, or why there are none, with an action. */
export const List = ({ action, children, none }: {
  readonly children: ReadonlyArray<ComponentChildren>
  readonly none: None | undefined
  readonly action?: ComponentChildren
}) =>
  children.length > 0 || none === undefined
    ? <ul class="rows">{children}</ul>
    : typeof none === "string"
    ? <p class="note">{none}</p>
    : <Empty title={none[0]} text={none[1]}>{action}</Empty>

/** A titled list. */
export const ListPanel = ({ action, actions, children, id, none, title }: {
  readonly id: string
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ReadonlyArray<ComponentChildren>
  readonly none?: None
  readonly action?: ComponentChildren
}) => (
  <Panel id={id} title={title} actions={actions} flush={children.length > 0 || typeof none !== "string"}>
    <List none={none} action={action}>{children}</List>
  </Panel>
)

/** `shown`: the rows of the page; of an empty list, there is nothing to say. */
export const Pager = ({ next, previous, said, shown }: {
  readonly previous: string | null
  readonly next: string | null
  readonly said: ComponentChildren
  readonly shown?: number
}) =>
  shown === 0 && previous === null && next === null ? null : (
    <nav class="pager" aria-label="Pages">
      <span>{said}</span>
      <span class="buttons">
        {previous === null ? null : <a class="button plain tight" href={previous} rel="prev">Previous</a>}
        {next === null ? null : <a class="button plain tight" href={next} rel="next">Next</a>}
      </span>
    </nav>
  )

/** The state of what a view shows, in its colour. */
export const Banner = ({ children, more, note = null, role, title, tone }: Children & {
  readonly tone: Tone
  readonly title: ComponentChildren
  readonly note?: ComponentChildren
  readonly more?: ComponentChildren
  readonly role?: "status"
}) => (
  <div class={`banner is-${tone}`} role={role}>
    <Dot tone={tone} />
    <div>
      <h2>{title}</h2>
      {note === null ? null : <p class="note">{note}</p>}
      {more}
    </div>
    {children}
  </div>
)

/** Text that a target wrote: shown as it is, marked as somebody else's. */
export const TargetText = ({ children, label }: Children & { readonly label: string }) => (
  <figure>
    <figcaption class="note">{label}, as the target sent it</figcaption>
    <pre class="block untrusted" tabindex={0}>{children}</pre>
  </figure>
)

/** A part that a script takes over. What it holds until then must be usable without one. */
export const Island = ({ children, name, props, keep = false }: Children & {
  readonly name: string
  readonly props: unknown
  /** Whether live updates leave it as it is, or as it is but for its data, which it shows itself. */
  readonly keep?: boolean | "props"
}) => (
  <div data-island={name} data-props={JSON.stringify(props)} data-keep={keep === true ? "" : keep === false ? undefined : keep}>
    {children}
  </div>
)

export const CapturedNote = ({ children }: { readonly children: ComponentChildren }) =>
  useVisit().capturesMail ? <p class="note">{children}</p> : null
