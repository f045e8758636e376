/** Previews imports, runs them as jobs in this process, which alone holds their credentials, and shows their progress. */
import { Cause, Effect, Exit, FiberSet, Option, Schedule } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict, Unavailable } from "../../../schema/Errors.ts"
import type { ImportId, PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { ImportInput } from "../../../schema/import/Import.ts"
import { previewOf } from "../../domain/import/ImportPlan.ts"
import { makeFairQueue } from "../../domain/tools/queues/FairQueue.ts"
import { makeFairSlots, neverFull } from "../../loops/FairSlots.ts"
import { WorkOwner } from "../../loops/WorkPriority.ts"
import { IncidentWriter } from "../../services/incident/IncidentWriter.ts"
import { ImportDocuments } from "../../store/import/ImportDocuments.ts"
import { ImportJobs } from "../../store/import/ImportJobs.ts"
import { ImportLinks } from "../../store/import/ImportLinks.ts"
import { PlanLinks } from "../../store/plan/PlanLinks.ts"
import { foundOr, orNoSuch } from "../NoSuch.ts"
import { makeGivenDocument } from "./GivenDocument.ts"
import { makeImportSteps } from "./ImportSteps.ts"
import { makeReadSource } from "./ReadSource.ts"

/** Jobs under way in one process, which hold their inventory in memory. More are refused. */
const mostJobs = 32

const busy = new Unavailable({ message: "Too many imports are under way", hint: "Start it again in a few minutes" })

/** Things that one process makes at a time, in turns of workspaces. Waiting for a source takes no slot. */
const making = { slots: 4, mostPerOwner: 1 }

/** Previews that one process reads at a time, one of each workspace: a source decides how much it sends. Others wait. */
const previews = { slots: 8, mostPerOwner: 1, room: { total: 60, perOwner: 2, weigh: () => 1 } }
const previewTime = "1 minute"

const crowded = Effect.fail(new Unavailable({ message: "Too many previews wait", hint: "Try again in a minute, one at a time" }))

const tooSlow = () =>
  new Unavailable({ message: "The source took longer than a minute to read", hint: "Start the import: a job may take longer" })

/** How long a source may make us wait: a caller waits for a preview, nobody for a job. */
const previewPatience = "10 seconds"
const jobPatience = "30 minutes"

/** A third of the lease, so that two renewals may fail. */
const renewEvery = Schedule.spaced("10 seconds")

const makeJob = Effect.gen(function*() {
  const jobs = yield* ImportJobs
  const source = yield* makeReadSource
  const takeStep = yield* makeImportSteps
  const slots = makeFairSlots(makeFairQueue<() => void>(making), neverFull)

  const run = Effect.fn("RunImports.job")(
    function*(workspaceId: WorkspaceId, id: ImportId, input: ImportInput, intoPage: PageId | null) {
      const { made, plan } = yield* Effect.provideService(source.plan(workspaceId, input, jobPatience), WorkOwner, workspaceId)
      if (!(yield* jobs.start(workspaceId, id, plan.steps.length, plan.warnings))) return
      const wantsMonitors = input.monitors ?? true
      const importRun = { workspaceId, source: input.source, intoPage, wantsMonitors, made: new Map(made) }
      for (const [position, step] of plan.steps.entries()) {
        const made = Effect.flatMap(takeStep(importRun, step), (item) => jobs.record(workspaceId, id, position, item))
        yield* slots(workspaceId, made)
      }
    }
  )

  /** Ends when the job has ended without this process, such as after a pause that was longer than its lease. */
  const renewing = (workspaceId: WorkspaceId, id: ImportId) =>
    jobs.renew(workspaceId, id).pipe(
      Effect.catchAllCause((cause) =>
        Effect.as(Effect.logWarning(`Renewing the lease of import ${id} failed; retrying in 10 s`, cause), true)
      ),
      Effect.repeat({ schedule: renewEvery, while: (isUnderWay) => isUnderWay })
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
                Effect.logError(`Import ${id} of workspace ${workspaceId} failed with an internal error`, cause),
                jobs.finish(workspaceId, id, "failed", ["The import ended with an internal error. Start it again"])
              )
          })
    }).pipe(Effect.catchAllCause((cause) => Effect.logWarning(`Recording the end of import ${id} failed`, cause)))

  return (workspaceId: WorkspaceId, id: ImportId, input: ImportInput, intoPage: PageId | null) =>
    run(workspaceId, id, input, intoPage).pipe(
      Effect.onExit(finished(workspaceId, id)),
      Effect.raceFirst(renewing(workspaceId, id)),
      Effect.ignore
    )
})

export class RunImports extends Effect.Service<RunImports>()("belltower/RunImports", {
  scoped: Effect.gen(function*() {
    const jobs = yield* ImportJobs
    const source = yield* makeReadSource
    const job = yield* makeJob
    const documents = yield* makeGivenDocument
    const fork = yield* FiberSet.makeRuntime<never>()
    let underWay = 0
    const previewSlots = makeFairSlots(makeFairQueue<() => void>(previews), crowded)

    const find = Effect.fn("RunImports.find")((workspaceId: WorkspaceId, id: string) =>
      orNoSuch("import job", id, jobs.find(workspaceId, id))
    )

    const takePlace = Effect.suspend(() => underWay < mostJobs ? Effect.sync(() => void underWay++) : busy)
    const leavePlace = Effect.sync(() => void underWay--)

    const begin = Effect.fnUntraced(function*(workspaceId: WorkspaceId, input: ImportInput, intoPage: PageId | null) {
      const id = yield* foundOr(jobs.begin(workspaceId, input.source), () =>
        new Conflict({
          message: "This workspace has an import under way",
          hint: "Wait until it has ended: GET /api/v1/import/jobs?limit=1"
        }))
      fork(Effect.ensuring(job(workspaceId, id, input, intoPage), leavePlace))
      return id
    })

    return {
      /** Reads the source and says what an import would do. Nothing is written but the document, for the import that follows. */
      preview: Effect.fn("RunImports.preview")(function*(caller: Caller, given: ImportInput) {
        const { workspaceId } = caller
        const input = yield* documents.resolved(workspaceId, given)
        yield* source.vet(workspaceId, input)
        const read = Effect.timeoutFail(source.plan(workspaceId, input, previewPatience), {
          duration: previewTime,
          onTimeout: tooSlow
        })
        const preview = previewOf(input.source, (yield* previewSlots(workspaceId, read)).plan)
        const document = yield* documents.kept(caller, given)
        return document === null ? preview : { ...preview, document }
      }),
      /**
       * Begins a job and returns it. Fails with `conflict` while another one of the workspace is under way, with `unavailable`
       * above the limit.
       */
      start: Effect.fn("RunImports.start")(function*(workspaceId: WorkspaceId, given: ImportInput) {
        const input = yield* documents.resolved(workspaceId, given)
        const intoPage = yield* source.vet(workspaceId, input)
        yield* takePlace
        const id = yield* Effect.onError(begin(workspaceId, input, intoPage), () => leavePlace)
        return yield* Effect.orDie(find(workspaceId, id))
      }),
      find,
      list: (workspaceId: WorkspaceId, limit: number) => jobs.list(workspaceId, limit)
    }
  }),
  dependencies: [ImportDocuments.Default, ImportJobs.Default, ImportLinks.Default, PlanLinks.Default, IncidentWriter.Default]
}) {}
