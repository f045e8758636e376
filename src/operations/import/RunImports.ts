/** Previews imports, runs them as jobs in this process, which alone holds their credentials, and shows their progress. */
import { Cause, Effect, Exit, FiberSet, Option, Schedule } from "effect"
import { IncidentWriter } from "../../../cluster/incident/IncidentWriter.ts"
import { Conflict, NotFound, Unavailable } from "../../../schema/Errors.ts"
import type { ImportId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ImportInput } from "../../../schema/import/Import.ts"
import { makeFairQueue } from "../../domain/FairQueue.ts"
import { previewOf } from "../../domain/import/ImportPlan.ts"
import { makeFairTurns } from "../../loops/FairTurns.ts"
import { ImportJobs } from "../../store/import/ImportJobs.ts"
import { ImportLinks } from "../../store/import/ImportLinks.ts"
import { PlanLinks } from "../../store/plan/PlanLinks.ts"
import { ManageChannels } from "../alert/ManageChannels.ts"
import { ManageComponents } from "../component/ManageComponents.ts"
import { OverrideComponent } from "../component/OverrideComponent.ts"
import { ManageTemplates } from "../incident/ManageTemplates.ts"
import { ManageMonitors } from "../monitor/ManageMonitors.ts"
import { ManagePolicies } from "../oncall/ManagePolicies.ts"
import { ManageSchedules } from "../oncall/ManageSchedules.ts"
import { ChangePage } from "../page/ChangePage.ts"
import { ManagePages } from "../page/ManagePages.ts"
import { makeImportSteps } from "./ImportSteps.ts"
import { makeReadSource } from "./ReadSource.ts"

/** Jobs that one process runs at a time; others are queued. Each holds what it found in memory. */
const jobsAtOnce = 4

/**
 * Previews that one process reads at a time, one of each workspace, since a source decides how much it sends and when. Others wait for
 * their turn.
 */
const previews = { slots: 8, mostPerOwner: 1, room: { total: 60, perOwner: 2, weigh: () => 1 } }
const previewTime = "1 minute"

const crowded = Effect.fail(new Unavailable({ message: "Too many previews wait", hint: "Try again in a minute, one at a time" }))

const tooSlow = () =>
  new Unavailable({ message: "The source took longer than a minute to read", hint: "Start the import: a job may take longer" })

/** How long a source may make us wait: a caller waits for a preview, nobody for a job. */
const previewPatience = "10 seconds"
const jobPatience = "2 hours"

/** A third of the lease, so that two renewals may fail. */
const renewEvery = Schedule.spaced("10 seconds")

const makeJob = Effect.gen(function*() {
  const jobs = yield* ImportJobs
  const source = yield* makeReadSource
  const takeStep = yield* makeImportSteps

  const run = Effect.fn("RunImports.job")(
    function*(workspaceId: WorkspaceId, id: ImportId, input: ImportInput, intoPage: PageId | null) {
      const { made, plan } = yield* source.plan(workspaceId, input, jobPatience)
      yield* jobs.start(workspaceId, id, plan.steps.length, plan.warnings)
      const wantsMonitors = input.monitors ?? true
      const importRun = { workspaceId, source: input.source, intoPage, wantsMonitors, made: new Map(made) }
      for (const [position, step] of plan.steps.entries()) {
        yield* jobs.record(workspaceId, id, position, yield* takeStep(importRun, step))
      }
    }
  )

  const renewing = (workspaceId: WorkspaceId, id: ImportId) =>
    jobs.renew(workspaceId, id).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("The lease of an import could not be renewed; trying again", cause)),
      Effect.repeat(renewEvery)
    )

  const finished = (workspaceId: WorkspaceId, id: ImportId) => (exit: Exit.Exit<void, { readonly message: string }>) =>
    Exit.match(exit, {
      onSuccess: () => jobs.finish(workspaceId, id, "succeeded", []),
      onFailure: (cause) =>
        Cause.isInterruptedOnly(cause)
          ? jobs.finish(workspaceId, id, "cancelled", [])
          : Option.match(Cause.failureOption(cause), {
            onSome: ({ message }) => jobs.finish(workspaceId, id, "failed", [message]),
            onNone: () =>
              Effect.zipRight(
                Effect.logError("An import ended by an error", cause),
                jobs.finish(workspaceId, id, "failed", ["The import ended by an internal error. Start it again"])
              )
          })
    }).pipe(Effect.catchAllCause((cause) => Effect.logWarning("The end of an import could not be recorded", cause)))

  return (workspaceId: WorkspaceId, id: ImportId, input: ImportInput, intoPage: PageId | null) =>
    run(workspaceId, id, input, intoPage).pipe(
      Effect.onExit(finished(workspaceId, id)),
      Effect.raceFirst(Effect.zipRight(renewing(workspaceId, id), Effect.never)),
      Effect.ignore
    )
})

export class RunImports extends Effect.Service<RunImports>()("belltower/RunImports", {
  scoped: Effect.gen(function*() {
    const jobs = yield* ImportJobs
    const source = yield* makeReadSource
    const job = yield* makeJob
    const fork = yield* FiberSet.makeRuntime<never>()
    const slots = yield* Effect.makeSemaphore(jobsAtOnce)
    const previewTurns = makeFairTurns(makeFairQueue<() => void>(previews), crowded)

    const find = Effect.fn("RunImports.find")(function*(workspaceId: WorkspaceId, id: string) {
      const found = yield* jobs.find(workspaceId, id)
      return yield* Option.match(found, {
        onSome: Effect.succeed,
        onNone: () =>
          new NotFound({ message: `No import job ${id} in this workspace`, hint: "List jobs with GET /api/v1/import/jobs" })
      })
    })

    return {
      /** Reads the source and says what an import would do. Nothing is written. */
      preview: Effect.fn("RunImports.preview")(function*(workspaceId: WorkspaceId, input: ImportInput) {
        yield* source.vet(workspaceId, input)
        const read = Effect.timeoutFail(source.plan(workspaceId, input, previewPatience), {
          duration: previewTime,
          onTimeout: tooSlow
        })
        return previewOf(input.source, (yield* previewTurns(workspaceId, read)).plan)
      }),
      /** Begins a job and returns it. Fails with `conflict` while another one of the workspace is under way. */
      start: Effect.fn("RunImports.start")(function*(workspaceId: WorkspaceId, input: ImportInput) {
        const intoPage = yield* source.vet(workspaceId, input)
        const begun = yield* jobs.begin(workspaceId, input.source)
        if (Option.isNone(begun)) {
          return yield* new Conflict({
            message: "This workspace has an import under way",
            hint: "Wait until it has ended: GET /api/v1/import/jobs?limit=1"
          })
        }
        fork(slots.withPermits(1)(job(workspaceId, begun.value, input, intoPage)))
        return yield* Effect.orDie(find(workspaceId, begun.value))
      }),
      find,
      list: (workspaceId: WorkspaceId, limit: number) => jobs.list(workspaceId, limit)
    }
  }),
  dependencies: [
    ImportJobs.Default,
    ImportLinks.Default,
    PlanLinks.Default,
    IncidentWriter.Default,
    ChangePage.Default,
    ManageChannels.Default,
    ManageComponents.Default,
    ManageMonitors.Default,
    ManagePages.Default,
    ManagePolicies.Default,
    ManageSchedules.Default,
    ManageTemplates.Default,
    OverrideComponent.Default
  ]
}) {}
