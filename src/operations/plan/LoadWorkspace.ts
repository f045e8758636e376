/** Loads a workspace as exports and plans see it: its things with their settings, and the key of each. */
import { Array as Arr, DateTime, Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Override } from "../../../schema/oncall/Schedule.ts"
import { type DocumentKind, mostEntries } from "../../../schema/plan/WorkspaceDocument.ts"
import { inOrderOfCreation } from "../../domain/oncall/Overrides.ts"
import { type Named, type ThingKeys, thingKeys } from "../../domain/plan/ThingKeys.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { gather } from "../../domain/tools/Gather.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { Components } from "../../store/component/Components.ts"
import { IncidentTemplates } from "../../store/incident/IncidentTemplates.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { Policies } from "../../store/oncall/Policies.ts"
import { Schedules } from "../../store/oncall/Schedules.ts"
import { Pages } from "../../store/page/Pages.ts"
import { PlanLinks } from "../../store/plan/PlanLinks.ts"
import { PlannedMonitors } from "../../store/plan/PlannedMonitors.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { requireWorkspace } from "../workspace/RequireWorkspace.ts"

const tooMany = validationFailure([{
  path: null,
  message: `Documents describe workspaces of at most ${mostEntries} monitors`,
  hint: "Use the operations on single monitors"
}])

/** The kinds whose keys are unique in the workspace; those of components are on their page. */
type KeyedKind = Exclude<DocumentKind, "component">

const byId = <A extends { readonly id: string }>(things: ReadonlyArray<A>): ReadonlyMap<string, A> =>
  new Map(things.map((thing) => [thing.id, thing]))

export const makeLoadWorkspace = Effect.gen(function*() {
  const monitors = yield* PlannedMonitors
  const channels = yield* Channels
  const pages = yield* Pages
  const components = yield* Components
  const schedules = yield* Schedules
  const policies = yield* Policies
  const templates = yield* IncidentTemplates
  const people = yield* OnCallPeople
  const links = yield* PlanLinks
  const workspaces = yield* Workspaces

  return Effect.fn("LoadWorkspace")(function*(workspaceId: WorkspaceId) {
    const workspace = yield* Effect.orDie(requireWorkspace(workspaces)(workspaceId))
    const outlines = yield* monitors.outlines(workspaceId, mostEntries + 1)
    if (outlines.length > mostEntries) return yield* tooMany
    const states = yield* channels.states(workspaceId)
    const listedPages = yield* pages.list(workspaceId)
    const pageIds = listedPages.map(({ id }) => id)
    const listedSchedules = yield* schedules.list(workspaceId)
    const now = yield* DateTime.now
    const overrides = yield* schedules.overrides(workspaceId, listedSchedules.map(({ id }) => id), now)
    const listedPolicies = yield* policies.list(workspaceId)
    const listedTemplates = yield* templates.list(workspaceId)
    const linked = yield* links.list(workspaceId)
    const keysOf = (kind: KeyedKind, things: ReadonlyArray<Named>) =>
      thingKeys(things, new Map(linked.filter((link) => link.kind === kind).map(({ key, resourceId }) => [resourceId, key])))
    const keys: Readonly<Record<KeyedKind, ThingKeys>> = {
      monitor: keysOf("monitor", outlines),
      channel: keysOf("channel", states.map(({ channel }) => channel)),
      page: keysOf("page", listedPages.map(({ id, slug }) => ({ id, name: slug }))),
      schedule: keysOf("schedule", listedSchedules),
      policy: keysOf("policy", listedPolicies),
      template: keysOf("template", listedTemplates)
    }
    return {
      workspaceId,
      now,
      timezone: workspace.timezone,
      keys,
      links: linked,
      monitors: byId(outlines),
      channels: new Map<string, (typeof states)[number]>(states.map((state) => [state.channel.id, state])),
      pages: byId(listedPages),
      groups: yield* Effect.orDie(components.groupsOf(workspaceId, pageIds)),
      components: yield* components.stored(workspaceId, pageIds),
      schedules: byId(listedSchedules),
      /** The overrides that have not ended, by schedule, in order of creation. */
      overrides: gather(Arr.sort(overrides, inOrderOfCreation).map((one): readonly [string, Override] => [one.scheduleId, one])),
      policies: byId(listedPolicies),
      templates: byId(listedTemplates),
      members: yield* people.members(workspaceId),
      /** Loaded when they are needed: a workspace may have many. */
      monitorSettings: (ids: ReadonlyArray<string>) => monitors.settings(workspaceId, ids)
    }
  })
})

export type WorkspaceState = Effect.Effect.Success<ReturnType<Effect.Effect.Success<typeof makeLoadWorkspace>>>

/** The address of a member by id; undefined for someone who has left. */
export const addressOf = ({ members }: WorkspaceState) => {
  const addresses = new Map<string, string>(members.map(({ email, id }) => [id, email.toLowerCase()]))
  return (id: string) => addresses.get(id)
}
