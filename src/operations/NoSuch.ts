/** The failures for ids that name nothing in the workspace of a call, and use cases that need what an id names. */
import { Effect, Option } from "effect"
import { NotFound } from "../../schema/Errors.ts"
import type { WorkspaceId } from "../../schema/Ids.ts"
import type { Monitors } from "../store/monitor/Monitors.ts"
import type { Pages } from "../store/page/Pages.ts"

/** The call that gives the right ids, by what they name. */
const hints = {
  "alert channel": "List alert channels with GET /api/v1/channels",
  "API key": "List API keys with GET /api/v1/api-keys",
  component: "Read the components of a page with GET /api/v1/pages/{pageId}",
  "contact way": "List contact ways with GET /api/v1/oncall/members/{userId}/ways",
  delivery: "List deliveries with GET /api/v1/deliveries",
  deploy: "List deploys with GET /api/v1/deploys",
  drill: "Start one with POST /api/v1/drills",
  "escalation policy": "List escalation policies with GET /api/v1/escalation-policies",
  grant: "List connected apps with GET /api/v1/grants",
  image: "List images with GET /api/v1/images",
  "import job": "List jobs with GET /api/v1/import/jobs",
  incident: "List incidents and maintenance windows with GET /api/v1/incidents",
  "incident template": "List incident templates with GET /api/v1/incident-templates",
  member: "List members with GET /api/v1/members",
  monitor: "List monitors with GET /api/v1/monitors",
  mute: "List mutes with GET /api/v1/mutes",
  "on-call schedule": "List on-call schedules with GET /api/v1/oncall/schedules",
  plan: "Plans are kept for a day; make one with POST /api/v1/plan",
  run: "List a job's runs with GET /api/v1/monitors/{id}/runs",
  "status page": "Send the id or slug of a page. List pages with GET /api/v1/pages",
  subscriber: "List subscribers with GET /api/v1/pages/{pageId}/subscribers"
}

type Noun = keyof typeof hints

export const noSuch = (noun: Noun, id: string) =>
  new NotFound({ message: `No ${noun} ${id} in this workspace`, hint: hints[noun] })

/** Unwraps a found value; fails with `failure` if there is none. */
export const foundOr = <A, E, R, E2>(
  found: Effect.Effect<Option.Option<A>, E, R>,
  failure: () => E2
): Effect.Effect<A, E | E2, R> =>
  Effect.flatMap(found, Option.match({ onNone: () => Effect.fail(failure()), onSome: (one) => Effect.succeed(one) }))

/** Finds the record of an id; fails with `not_found` if there is none. */
export const orNoSuch = <A, E, R>(noun: Noun, id: string, found: Effect.Effect<Option.Option<A>, E, R>) =>
  foundOr(found, () => noSuch(noun, id))

export const requireMonitor = (monitors: Monitors, workspaceId: WorkspaceId, id: string) =>
  orNoSuch("monitor", id, monitors.find(workspaceId, id))

export const requirePage = (pages: Pages, workspaceId: WorkspaceId, idOrSlug: string) =>
  orNoSuch("status page", idOrSlug, pages.find(workspaceId, idOrSlug))

/** Fails with `not_found` if `removing` found nothing to remove. */
export const removed = <E, R>(
  noun: Noun,
  id: string,
  removing: Effect.Effect<boolean, E, R>
): Effect.Effect<void, E | NotFound, R> => Effect.flatMap(removing, (done) => done ? Effect.void : noSuch(noun, id))
