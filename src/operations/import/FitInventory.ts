/** Fits what a source holds to this workspace and installation: a preview then says what a job can make. */
import { Effect, Struct } from "effect"
import type { ChannelInput } from "../../../schema/alert/Channel.ts"
import type { ValidationFailed } from "../../../schema/Errors.ts"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import type { Plan } from "../../../schema/workspace/Workspace.ts"
import { codeMonitors, planRefusal } from "../../domain/billing/PlanLimits.ts"
import { plans } from "../../domain/billing/Plans.ts"
import { channelInput, makeNotes, monitorInput, type Notes } from "../../domain/import/Carry.ts"
import { pathIn, without } from "../../domain/import/FieldPaths.ts"
import { withGroupsInRoom, withinRoom } from "../../domain/import/ImportRoom.ts"
import type { FoundChannel, FoundMonitor, FoundPage, Inventory } from "../../domain/import/Inventory.ts"
import { recordOf } from "../../domain/import/Loose.ts"
import type { Refusal } from "../../domain/Refusal.ts"
import { forEachOverTurns } from "../../loops/OverTurns.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { ManageChannels } from "../alert/ManageChannels.ts"
import { makeVetMonitor } from "../monitor/VetMonitor.ts"

/** Things fitted in one turn. */
const perTurn = 50

interface Fitting<A> {
  readonly input: A | null
  readonly notes: ReadonlyArray<string>
}

/** Leaves out the settings that are refused, and has no input where the rest is none. */
const fitted = <A, F extends Fitting<A>>(
  found: F,
  refusalsOf: (input: A) => Effect.Effect<ReadonlyArray<Refusal>>,
  inputOf: (notes: Notes, fields: Readonly<Record<string, unknown>>) => A | null
): Effect.Effect<F> =>
  Effect.gen(function*() {
    if (found.input === null) return found
    const refused = yield* refusalsOf(found.input)
    if (refused.length === 0) return found
    const notes = makeNotes()
    const rest = [...refused].reverse()
      .reduce<unknown>((left, { path }) => path === null ? left : without(left, pathIn(left, path)), found.input)
    const isSame = rest === found.input
    for (const { message, path } of refused) notes.say(isSame || path === null ? message : `${path} is left out: ${message}`)
    const input = isSame ? null : inputOf(notes, recordOf(rest))
    return yield* fitted({ ...found, input, notes: [...found.notes, ...notes.all] }, refusalsOf, inputOf)
  })

/** The plan's shortest interval in place of a shorter one. */
const paced = (found: FoundMonitor, leastSec: number): FoundMonitor => {
  const { input, notes } = found
  const { intervalSec, kind } = input ?? {}
  return intervalSec === undefined || kind === "heartbeat" || intervalSec >= leastSec
    ? found
    : {
      ...found,
      input: input === null ? null : { ...input, intervalSec: leastSec },
      notes: [...notes, `interval ${intervalSec} becomes ${leastSec}`]
    }
}

/** The default region in place of more than the plan has for a monitor. */
const placed = (found: FoundMonitor, plan: Plan): FoundMonitor => {
  const { input, notes } = found
  const { kind, regions = [] } = input ?? {}
  const limit = "regionsPerMonitor" as const
  const refusal = kind === "heartbeat" ? null : planRefusal(plan, [{ limit, had: 0, wanted: new Set(regions).size }])
  return input === null || refusal === null
    ? found
    : { ...found, input: Struct.omit(input, "regions"), notes: [...notes, `regions are left out: ${refusal.message}`] }
}

const runsCode = ({ input }: FoundMonitor): boolean => input?.kind !== undefined && codeMonitors(input.kind) > 0

const hasDomain = ({ input }: FoundPage): boolean => (input?.customDomain ?? null) !== null

const withoutDomain = (page: FoundPage, reason: string): FoundPage =>
  page.input === null
    ? page
    : { ...page, input: Struct.omit(page.input, "customDomain"), notes: [...page.notes, `customDomain is left out: ${reason}`] }

const refusalsIn = ({ details, message }: ValidationFailed): ReadonlyArray<Refusal> =>
  Array.isArray(details) ? details : [{ path: null, message }]

export const makeFitInventory = Effect.gen(function*() {
  const vet = yield* makeVetMonitor
  const channels = yield* ManageChannels
  const quotas = yield* Quotas

  /** `isNew`: the import would create the thing of a ref. `intoPage` receives all components; null for pages of their own. */
  return Effect.fn("FitInventory.fit")(function*(
    workspaceId: WorkspaceId,
    inventory: Inventory,
    isNew: (thing: { readonly ref: string }) => boolean,
    intoPage: PageId | null
  ) {
    const standing = yield* quotas.standing(workspaceId, intoPage)
    const vetted = (input: MonitorInput) =>
      Effect.match(vet(workspaceId, input), { onFailure: refusalsIn, onSuccess: (): ReadonlyArray<Refusal> => [] })
    const fitChannels = forEachOverTurns(
      inventory.channels,
      perTurn,
      (found) => fitted<ChannelInput, FoundChannel>(found, (input) => channels.problems(workspaceId, input), channelInput)
    )
    const fitMonitors = forEachOverTurns(
      inventory.monitors,
      perTurn,
      (found) =>
        fitted<MonitorInput, FoundMonitor>(
          placed(paced(found, plans[standing.plan].minIntervalSec), standing.plan),
          vetted,
          monitorInput
        )
    )
    const monitors = withinRoom(standing, "codeMonitors", yield* fitMonitors, (found) => isNew(found) && runsCode(found))
    const pages = intoPage === null
      ? withinRoom(
        standing,
        "customDomains",
        withinRoom(standing, "pages", inventory.pages, isNew),
        (page) => isNew(page) && hasDomain(page),
        withoutDomain
      )
      : inventory.pages
    return {
      ...inventory,
      channels: withinRoom(standing, "channels", yield* fitChannels, isNew),
      monitors: withinRoom(standing, "monitors", monitors, isNew),
      pages: pages.map((page) => {
        const fitting = { ...page, components: withinRoom(standing, "components", page.components, isNew) }
        return intoPage === null && isNew(page) ? withGroupsInRoom(standing, fitting) : fitting
      }),
      schedules: withinRoom(standing, "schedules", inventory.schedules, isNew),
      policies: withinRoom(standing, "policies", inventory.policies, isNew),
      templates: withinRoom(standing, "templates", inventory.templates, isNew)
    } satisfies Inventory
  })
})
