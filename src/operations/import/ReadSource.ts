/** Reads the source of an import and plans the steps. */
import { Context, type Duration, Effect, Option, Redacted } from "effect"
import { Unavailable, ValidationFailed } from "../../../schema/Errors.ts"
import { PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { ImportInput } from "../../../schema/import/Import.ts"
import { onCallRefusal } from "../../domain/billing/PlanLimits.ts"
import { mostThings, planImport } from "../../domain/import/ImportPlan.ts"
import type { Inventory } from "../../domain/import/Inventory.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { type ImportRequest, refusalOf } from "../../external/import/Importer.ts"
import { importers } from "../../external/import/importers.ts"
import { publicSources, type SourceAddresses } from "../../external/import/SourceAddresses.ts"
import type { SourceProblem } from "../../external/import/SourceClient.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { ImportLinks } from "../../store/import/ImportLinks.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { Pages } from "../../store/page/Pages.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { requirePage } from "../NoSuch.ts"
import { makeFitInventory } from "./FitInventory.ts"

/** Where the services are; settings replace the public addresses by others. */
export class ImportAddresses extends Context.Reference<ImportAddresses>()("belltower/ImportAddresses", {
  defaultValue: (): SourceAddresses => publicSources
}) {}

const requestOf = (input: ImportInput, patience: Duration.DurationInput): ImportRequest => ({
  apiKey: input.apiKey === undefined ? null : Redacted.make(input.apiKey),
  pageId: input.pageId ?? null,
  url: input.url ?? null,
  document: input.document ?? null,
  wants: {
    monitors: input.monitors ?? true,
    channels: input.channels ?? true,
    pages: input.pages ?? true,
    incidents: input.incidents ?? true,
    mirror: input.mirror ?? false
  },
  patience
})

const tooManyThings = (things: number) =>
  new ValidationFailed({
    message: `The source holds ${things} things; one import takes at most ${mostThings}`,
    hint: "Import in parts: leave some out with monitors, pages or incidents: false"
  })

const failureOf = ({ message, temporary }: SourceProblem) =>
  temporary
    ? new Unavailable({ message, hint: "Try again in a few minutes" })
    : new ValidationFailed({ message, hint: "Check what the import was given: apiKey, pageId, url or document" })

/** Of the status pages, only the one that `pageId` names. Fails with `validation_failed` if there is none. */
const onlyPage = (inventory: Inventory, { pageId, wants }: ImportRequest) => {
  if (pageId === null || !wants.pages) return Effect.succeed(inventory)
  const pages = inventory.pages.filter(({ ref }) => ref === `page:${pageId}`)
  return pages.length === 0
    ? validationFailure([{ path: "pageId", message: `The source has no status page ${pageId}` }])
    : Effect.succeed({ ...inventory, pages })
}

export const makeReadSource = Effect.gen(function*() {
  const guard = yield* EgressGuard
  const addresses = yield* ImportAddresses
  const links = yield* ImportLinks
  const pages = yield* Pages
  const channels = yield* Channels
  const workspaces = yield* Workspaces
  const people = yield* OnCallPeople
  const fit = yield* makeFitInventory

  /** The page that receives the components; null for new pages. Fails with `validation_failed` if there is no such page. */
  const targetOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, { targetPageId }: ImportInput) {
    if (targetPageId === undefined) return null
    const page = yield* Effect.mapError(
      requirePage(pages, workspaceId, targetPageId),
      ({ message }) => validationFailure([{ path: "targetPageId", message }])
    )
    return PageId.make(page.id)
  })

  return {
    /** Refuses what no reading could serve. */
    vet: Effect.fn("ReadSource.vet")(function*(workspaceId: WorkspaceId, input: ImportInput) {
      const refusal = refusalOf(importers[input.source], requestOf(input, 0))
      if (refusal !== null) return yield* validationFailure([refusal])
      return yield* targetOf(workspaceId, input)
    }),
    plan: Effect.fn("ReadSource.plan")(function*(workspaceId: WorkspaceId, input: ImportInput, patience: Duration.DurationInput) {
      const request = requestOf(input, patience)
      const inventory = yield* importers[input.source].read(request, addresses).pipe(
        Effect.provideService(EgressGuard, guardFor(guard, { owner: workspaceId })),
        Effect.mapError(failureOf),
        Effect.flatMap((found) => onlyPage(found, request))
      )
      const made = yield* links.living(workspaceId, input.source)
      const excluded = new Set(input.exclude)
      const intoPage = yield* targetOf(workspaceId, input)
      const fitted = yield* fit(workspaceId, inventory, ({ ref }) => !made.has(ref) && !excluded.has(ref), intoPage)
      const workspace = yield* workspaces.get(workspaceId)
      const members = inventory.schedules.length + inventory.policies.length === 0 ? [] : yield* people.members(workspaceId)
      const choice = {
        ...request.wants,
        exclude: excluded,
        made,
        intoPage: input.targetPageId !== undefined,
        hasDefaultChannel: (yield* channels.defaultIds(workspaceId)).length > 0,
        claimed: Option.exists(workspace, ({ claimed }) => claimed),
        members: new Set(members.map(({ email }) => email.toLowerCase())),
        onCallRefusal: Option.match(workspace, { onNone: () => null, onSome: ({ plan }) => onCallRefusal(plan)?.message ?? null })
      }
      const plan = yield* overTurns(planImport(fitted, choice))
      return plan.steps.length > mostThings ? yield* tooManyThings(plan.steps.length) : { made, plan }
    })
  }
})
