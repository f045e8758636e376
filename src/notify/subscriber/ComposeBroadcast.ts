/** Composes the messages to subscribers about an event, in each of their languages, from the event and the page's rows. */
import { DateTime, Effect, Either, Option, Schema } from "effect"
import type { Component, EffectiveStatus } from "../../../schema/component/Component.ts"
import { decodeEventData } from "../../../schema/event/EventData.ts"
import type { IncidentId } from "../../../schema/Ids.ts"
import type { Incident, IncidentUpdate } from "../../../schema/incident/Incident.ts"
import { Language } from "../../../schema/page/Page.ts"
import type { ComponentView } from "../../domain/component/ComponentStatus.ts"
import { namesOf } from "../../domain/incident/ComponentOutage.ts"
import { withWorstOf } from "../../domain/incident/WorstStatus.ts"
import { namedIn, wordsIn } from "../../domain/page/Languages.ts"
import { mailLook } from "../../domain/page/MailLook.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import type { PageIncident } from "../../domain/page/PageIncident.ts"
import { publicIncident } from "../../domain/page/PublicIncidentView.ts"
import { type BroadcastContents, type Content, IncidentData } from "../../domain/subscriber/BroadcastContent.ts"
import { type PageNow, withComponent, withIncident } from "../../domain/subscriber/PageThen.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { momentsIn } from "../../domain/tools/time/Moments.ts"
import { Links } from "../../links/Links.ts"
import { Components } from "../../store/component/Components.ts"
import { PageIncidents } from "../../store/incident/PageIncidents.ts"
import { Pages } from "../../store/page/Pages.ts"
import { Broadcasts, type Unprepared } from "../../store/subscriber/Broadcasts.ts"

const incidentTypes = [
  "incident.created",
  "incident.updated",
  "incident.resolved",
  "maintenance.scheduled",
  "maintenance.started",
  "maintenance.updated",
  "maintenance.completed"
] as const
type IncidentType = (typeof incidentTypes)[number]

const isIncidentType = (type: string): type is IncidentType => incidentTypes.some((one) => one === type)

const ending: ReadonlyArray<string> = ["incident.resolved", "maintenance.completed"]

/** The page at the time of composing, and everything that its texts need. */
export interface Scene {
  readonly event: Unprepared
  readonly page: SettledPage
  readonly visible: ReadonlyArray<ComponentView>
  /** The incident that the event is about, whatever else the page has; null if there is none, or the page does not show it. */
  readonly incident: PageIncident | null
  /** Open, or ended together with the event: as many as the page shows. */
  readonly incidents: ReadonlyArray<PageIncident>
  readonly url: string
  readonly api: string
  readonly languages: ReadonlyArray<Language>
}

const onPage = ({ visible }: Scene, incident: PageIncident): PageIncident => ({
  ...incident,
  components: incident.components.filter(({ componentId }) => visible.some(({ id }) => id === componentId))
})

const pageNow = (scene: Scene): PageNow => ({
  components: scene.visible,
  incidents: scene.incidents.map((incident) => onPage(scene, incident))
})

const pageIn = ({ api, page: { id, name, slug }, url }: Scene, status: EffectiveStatus, language: Language): Content["page"] => ({
  id,
  slug,
  name,
  url,
  status,
  statusText: wordsIn(language).page[status],
  api
})

const inEach = (scene: Scene, content: (language: Language) => Content): BroadcastContents["byLanguage"] =>
  Object.fromEntries(scene.languages.map((language) => [language, content(language)]))

const head = ({ event, page }: Scene) => ({
  id: event.id,
  type: event.type,
  timestamp: DateTime.formatIso(event.at),
  look: mailLook(page),
  ...(event.traceparent === undefined || event.traceparent === null ? {} : { traceparent: event.traceparent })
})

const period = ({ scheduledEnd, scheduledStart }: Incident, language: Language, timeZone: string): ReadonlyArray<string> =>
  scheduledStart === null || scheduledEnd === null ? [] : [
    momentsIn(language, timeZone, "zonedDated")
      .formatRange(DateTime.toDateUtc(scheduledStart), DateTime.toDateUtc(scheduledEnd))
  ]

/** The incident as it was at the event, with the names that the page must hide. */
const incidentThen = (then: Incident, known: PageIncident): PageIncident => ({
  ...known,
  title: then.title,
  status: then.status,
  impact: then.impact,
  resolvedAt: then.resolvedAt,
  components: withWorstOf(then.components, known.components),
  aiSummary: then.aiSummary,
  isCut: false,
  updates: then.updates.flatMap((update) =>
    // A text whose author is unknown is treated like the service's own, which conceals names.
    update.public ? [{ ...update, byPerson: known.updates.find(({ id }) => id === update.id)?.byPerson ?? false }] : []
  )
})

interface IncidentNews {
  readonly incident: Incident
  readonly update: IncidentUpdate
  readonly durationMinutes?: number
  readonly durationText?: string
}

const encodeIncident = Schema.encodeSync(IncidentData)

export const incidentContents = (scene: Scene, news: IncidentNews): Option.Option<BroadcastContents> => {
  const known = scene.incident
  if (known === null || !news.update.public) return Option.none()
  const then = onPage(scene, incidentThen(news.incident, known))
  if (then.automatic && then.components.length === 0) return Option.none()
  const ends = ending.includes(scene.event.type)
  const { durationMinutes, durationText } = news
  const status = withIncident(pageNow(scene), then)
  const affected = scene.visible.filter(({ id }) => then.components.some(({ componentId }) => componentId === id))
  const content = (language: Language): Content => {
    const words = wordsIn(language)
    const incident = publicIncident(scene.visible, language, scene.url, scene.page.settings.aiPublicUpdates)(then)
    const { public: _, ...plain } = news.update
    const update = incident.updates.find(({ id }) => id === news.update.id) ?? plain
    const names = new Intl.ListFormat(language, { style: "long", type: "conjunction" }).format(namesOf(affected).map(isolated))
    return {
      page: pageIn(scene, status, language),
      data: encodeIncident({
        incident,
        update,
        ...(durationMinutes === undefined ? {} : { durationMinutes }),
        ...(durationText === undefined ? {} : { durationText })
      }),
      told: {
        title: namedIn(language, words.progress[incident.status], isolated(incident.title)),
        text: update.body,
        notes: [
          ...period(news.incident, language, scene.page.settings.timezone),
          ...(names === "" ? [] : [words.affects(names)])
        ],
        facts: [],
        link: incident.url
      }
    }
  }
  return Option.some({
    ...head(scene),
    tone: ends ? "good" : then.kind === "maintenance" ? "notice" : then.impact === "minor" ? "degraded" : "down",
    news: {
      audience: "all",
      incidentId: then.id,
      isAfterEnd: !ends && then.resolvedAt !== null,
      componentIds: then.wholePage === true ? [] : affected.map(({ id }) => id)
    },
    ends,
    byLanguage: inEach(scene, content)
  })
}

const componentContents = (
  scene: Scene,
  component: Pick<Component, "id" | "name" | "status">
): Option.Option<BroadcastContents> => {
  if (!scene.visible.some(({ id }) => id === component.id)) return Option.none()
  const status = withComponent(pageNow(scene), component.id, component.status)
  return Option.some({
    ...head(scene),
    tone: "notice",
    news: { audience: "webhooks", incidentId: null, isAfterEnd: false, componentIds: [component.id] },
    ends: false,
    byLanguage: inEach(scene, (language) => ({
      page: pageIn(scene, status, language),
      data: scene.event.data,
      told: {
        title: namedIn(language, isolated(component.name), wordsIn(language).component[component.status]),
        text: "",
        facts: [],
        link: scene.url
      }
    }))
  })
}

const isLanguage = Schema.is(Language)

/** Reads the page of an event with its incident and those that were open since `from`. None if there is no such page. */
export const makeSceneOf = Effect.gen(function*() {
  const pages = yield* Pages
  const components = yield* Components
  const incidents = yield* PageIncidents
  const broadcasts = yield* Broadcasts
  const links = yield* Links

  return Effect.fn("ComposeBroadcast.scene")(function*(event: Unprepared, incidentId: IncidentId | null, from: DateTime.Utc) {
    const found = yield* pages.find(event.workspaceId, event.pageId)
    if (Option.isNone(found)) return Option.none<Scene>()
    const page = found.value
    const all = yield* components.ofPages(event.workspaceId, [event.pageId])
    const languages = yield* broadcasts.languagesOf(event.pageId)
    return Option.some<Scene>({
      event,
      page,
      visible: all.filter(({ hidden }) => !hidden),
      incident: incidentId === null
        ? null
        : Option.getOrNull(yield* incidents.one({ workspaceId: event.workspaceId, pageId: event.pageId, id: incidentId })),
      incidents: yield* incidents.since(event.workspaceId, event.pageId, from),
      url: links.page(page),
      api: links.publicStatus(page.slug),
      languages: [...new Set<Language>(["en", ...languages.filter(isLanguage)])]
    })
  })
})

/** Returns the composer. None: the event is not for subscribers, because of its page, its incident or its update. */
export const makeComposeBroadcast = Effect.gen(function*() {
  const broadcasts = yield* Broadcasts
  const sceneOf = yield* makeSceneOf

  const ofIncident = Effect.fn("ComposeBroadcast.incident")(function*(event: Unprepared, type: IncidentType) {
    const data: Either.Either<IncidentNews, unknown> = decodeEventData(type, event.data)
    if (Either.isLeft(data)) return Option.none()
    const { incident, update } = data.right
    if (!(yield* broadcasts.notifies(event.workspaceId, update.id))) return Option.none()
    // The scene also has the incidents that ended later.
    const scene = yield* sceneOf(
      event,
      incident.id,
      DateTime.subtract(DateTime.min(event.at, incident.resolvedAt ?? event.at), { seconds: 1 })
    )
    return Option.flatMap(scene, (one) => incidentContents(one, data.right))
  })

  return Effect.fn("ComposeBroadcast.compose")(function*(event: Unprepared) {
    if (isIncidentType(event.type)) return yield* ofIncident(event, event.type)
    if (event.type !== "component.status_changed") return Option.none<BroadcastContents>()
    const data = decodeEventData(event.type, event.data)
    if (Either.isLeft(data)) return Option.none()
    return Option.flatMap(
      yield* sceneOf(event, null, event.at),
      (scene) => componentContents(scene, { ...data.right.component, status: data.right.to })
    )
  }, (work, event) =>
    // One event that cannot be read must not stop the others. If the database failed, the transaction fails, too.
    Effect.catchAllCause(work, (cause) =>
      Effect.as(
        Effect.logError(
          `Composing the messages of page ${event.pageId} about event ${event.id} failed; its subscribers are not notified`,
          cause
        ),
        Option.none<BroadcastContents>()
      )))
})
