/** Composes the news of an update that is not posted yet, as the subscribers of a page would read it in English. */
import { DateTime, Effect, Option } from "effect"
import { EventId, type PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Incident, PublicUpdate } from "../../../schema/incident/Incident.ts"
import type { PageIncident } from "../../domain/page/PageIncident.ts"
import { contentIn } from "../../domain/subscriber/BroadcastContent.ts"
import { incidentContents, makeSceneOf, type Scene } from "./ComposeBroadcast.ts"
import { newsMail } from "./SubscriberMail.ts"

/** An incident as a page would know it that the update brings it onto. A preview shows no note of the service. */
const unknownOf = (incident: Incident): PageIncident => ({
  ...incident,
  updates: [],
  isCut: false,
  monitorName: null,
  monitorTarget: null,
  otherNames: []
})

/** The page reads the update among those of the incident. */
const withUpdate = (scene: Scene, incident: Incident, update: PublicUpdate): Scene => {
  const known = scene.incident ?? unknownOf(incident)
  return { ...scene, incident: { ...known, updates: [...known.updates, { ...update, byPerson: true }] } }
}

export const makePreviewNews = Effect.gen(function*() {
  const sceneOf = yield* makeSceneOf

  /** None if the page does not show the incident. `incident` is as the update leaves it. */
  return Effect.fn("PreviewNews.of")(
    function*(workspaceId: WorkspaceId, pageId: PageId, incident: Incident, update: PublicUpdate) {
      const event = {
        id: EventId.make("evt_preview", { disableValidation: true }),
        workspaceId,
        pageId,
        type: incident.resolvedAt === null ? "incident.updated" as const : "incident.resolved" as const,
        at: update.at,
        data: {}
      }
      const found = yield* sceneOf(event, incident.id, DateTime.min(update.at, incident.resolvedAt ?? update.at))
      const contents = Option.flatMap(
        found,
        (scene) => incidentContents(withUpdate(scene, incident, update), { incident, update })
      )
      const content = Option.flatMapNullable(contents, (all) => contentIn(all, "en"))
      return Option.zipWith(contents, content, ({ look, tone }, shown) => ({
        pageName: shown.page.name,
        url: shown.told.link,
        title: shown.told.title,
        text: [shown.told.text, ...shown.told.notes ?? []].join("\n\n"),
        mail: newsMail({
          content: shown,
          tone,
          look,
          language: "en",
          manage: "(a link for each subscriber)",
          unsubscribe: "(a link for each subscriber)"
        })
      }))
    },
    Effect.orDie
  )
})
