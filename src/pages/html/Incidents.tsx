/** Active incidents, maintenances and past incidents. */
import { DateTime } from "effect"
import { renderToString } from "preact-render-to-string"
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { Impact, PublicIncident } from "../../../schema/incident/Incident.ts"
import { namesOf } from "../../domain/incident/ComponentOutage.ts"
import { historyDays } from "../../domain/page/snapshot/Snapshot.ts"
import type { Steps as Stepwise } from "../../domain/tools/Steps.ts"
import { secondsBetween } from "../../domain/tools/time/Duration.ts"
import { type Update, updateTexts } from "../UpdateTexts.ts"
import { placeholderOf } from "./Apart.ts"
import type { PageContext } from "./Context.ts"
import { StatusIcon } from "./Icons.tsx"
import { Markdown } from "./Markdown.tsx"

export interface OneIncident {
  readonly incident: PublicIncident
  readonly context: PageContext
}

const signs: Record<Impact, EffectiveStatus> = {
  none: "unknown",
  minor: "degraded",
  major: "partial_outage",
  critical: "major_outage"
}

export const signOf = ({ impact, kind }: PublicIncident): EffectiveStatus =>
  kind === "maintenance" ? "maintenance" : signs[impact]

export const Moment = ({ at, context }: { readonly at: DateTime.Utc; readonly context: PageContext }) => (
  <time dateTime={DateTime.formatIso(at)} title={context.formats.full(at)}>{context.formats.moment(at)}</time>
)

export const isOver = ({ status }: PublicIncident): boolean => status === "resolved" || status === "completed"

/** Rounded as in the note that ends the incident, so that both say the same. At least 1. */
export const lastedSec = (from: DateTime.Utc, to: DateTime.Utc): number =>
  Math.max(1, secondsBetween(DateTime.toEpochMillis(from), DateTime.toEpochMillis(to)))

const Step = ({ context, heading, images, update }: {
  readonly context: PageContext
  readonly update: Update
  readonly heading: number
  readonly images: string | undefined
}) => (
  <li>
    <b>{context.words.progress[update.status]}</b> <Moment at={update.at} context={context} />
    <Markdown text={update.body} heading={heading} images={images} />
  </li>
)

const stepId = (incident: PublicIncident, update: Update) => `${incident.id}/${update.id}`

/** All that was said. */
export const textsOf = (incidents: ReadonlyArray<PublicIncident>): ReadonlyArray<string> =>
  incidents.flatMap(({ updates }) => updates.map(({ body }) => body))

/**
 * The updates of incidents by their placeholders. `heading`: the level of the highest headings within them. `images`: the address of
 * the service whose uploaded images are shown.
 */
export function* renderSteps(
  context: PageContext,
  incidents: ReadonlyArray<PublicIncident>,
  heading: number,
  images?: string
): Stepwise<ReadonlyMap<string, string>> {
  const written = yield* updateTexts(
    incidents,
    (update) => renderToString(<Step context={context} update={update} heading={heading} images={images} />)
  )
  return placed(incidents, written)
}

/** The newest updates of incidents by their placeholders, without their status and time. */
export function* renderNewest(
  incidents: ReadonlyArray<PublicIncident>,
  images?: string
): Stepwise<ReadonlyMap<string, string>> {
  const newest = incidents.map((incident) => ({ ...incident, updates: incident.updates.slice(-1) }))
  return placed(newest, yield* updateTexts(newest, ({ body }) => renderToString(<Markdown text={body} images={images} />)))
}

const placed = (incidents: ReadonlyArray<PublicIncident>, written: (update: Update) => string): ReadonlyMap<string, string> =>
  new Map(incidents.flatMap((incident) => incident.updates.map((update) => [stepId(incident, update), written(update)] as const)))

/** The placeholder of an incident's newest update. */
export const Newest = ({ incident }: Pick<OneIncident, "incident">) => {
  const last = incident.updates.at(-1)
  return last === undefined ? null : <>{placeholderOf(stepId(incident, last))}</>
}

/** The placeholders of the updates, newest first. */
export const Steps = ({ incident }: Pick<OneIncident, "incident">) => (
  <ol class={`steps s-${isOver(incident) ? "operational" : signOf(incident)}`}>
    {[...incident.updates].reverse().map((update) =>
      placeholderOf(stepId(incident, update))
    )}
  </ol>
)

export const Affected = ({ context: { formats, page, words }, incident }: OneIncident) => {
  const ids = new Set<string>(incident.components.map(({ componentId }) => componentId))
  const names = namesOf(page.components.filter(({ id }) => ids.has(id)))
  return names.length === 0 ? null : <p>{words.affects(formats.list(names))}</p>
}

export const Planned = ({ context, incident: { scheduledEnd, scheduledStart } }: OneIncident) =>
  scheduledStart === null ? null : (
    <p>
      {scheduledEnd === null || DateTime.lessThan(scheduledEnd, scheduledStart)
        ? <Moment at={scheduledStart} context={context} />
        : context.formats.period(scheduledStart, scheduledEnd)}
    </p>
  )

const OpenIncident = ({ context, incident }: OneIncident) => (
  <article class={`card incident s-${signOf(incident)}`} id={incident.id}>
    <header>
      <h3>
        <StatusIcon status={signOf(incident)} />
        <a href={incident.url}>{incident.title}</a>
      </h3>
      {incident.kind === "maintenance" ? <Planned context={context} incident={incident} /> : null}
      <Affected context={context} incident={incident} />
    </header>
    <Steps incident={incident} />
  </article>
)

const Open = ({ context, incidents, label, name }: {
  readonly context: PageContext
  readonly incidents: ReadonlyArray<PublicIncident>
  readonly label: string
  readonly name: string
}) =>
  incidents.length === 0 ? null : (
    <section aria-labelledby={name}>
      <h2 class="label" id={name}>{label}</h2>
      {incidents.map((incident) => <OpenIncident context={context} incident={incident} />)}
    </section>
  )

export const ActiveIncidents = ({ context }: { readonly context: PageContext }) => (
  <Open context={context} incidents={context.page.incidents} label={context.words.activeIncidents} name="active" />
)

/** A running maintenance is shown above the components, planned ones below. */
export const Maintenances = ({ context, running }: { readonly context: PageContext; readonly running: boolean }) => (
  <Open
    context={context}
    incidents={context.page.maintenances.filter(({ status }) => (status === "in_progress") === running)}
    label={running ? context.words.page.maintenance : context.words.plannedMaintenance}
    name={running ? "maintenance" : "planned"}
  />
)

const PastIncident = ({ context, incident }: OneIncident) => {
  const { formats, words } = context
  const outcome = incident.resolvedAt === null
    ? words.progress[incident.status]
    : words.resolvedAfter(formats.duration(lastedSec(incident.startedAt, incident.resolvedAt)))
  return (
    <details class="card" id={incident.id}>
      <summary>
        <b>{incident.title}</b>
        <span>{incident.kind === "maintenance" ? words.progress[incident.status] : outcome}</span>
      </summary>
      <Steps incident={incident} />
    </details>
  )
}

/** Groups past incidents by start day; days without incidents are omitted. */
export const PastIncidents = ({ context }: { readonly context: PageContext }) => {
  const { formats, words } = context
  const days = new Map<string, Array<PublicIncident>>()
  for (const incident of context.past) {
    const day = formats.date(incident.startedAt)
    const group = days.get(day)
    if (group === undefined) days.set(day, [incident])
    else group.push(incident)
  }
  return (
    <section class="past" aria-labelledby="past">
      <h2 class="label" id="past">{words.pastIncidents}</h2>
      {days.size === 0 ? <p class="note">{words.noIncidents(historyDays)}</p> : null}
      {[...days].map(([day, incidents]) => (
        <>
          <h3>{day}</h3>
          {incidents.map((incident) => <PastIncident context={context} incident={incident} />)}
        </>
      ))}
      <p class="more">
        <a href={`${context.page.page.url}/history`}>{words.incidentHistory}</a>
        {context.page.page.settings.subscriptions?.rss === false ? null : (
          <>
            <a href={`${context.page.page.url}/feed.rss`}>RSS</a>
            <a href={`${context.page.page.url}/feed.atom`}>Atom</a>
          </>
        )}
      </p>
    </section>
  )
}
