/** Renders forms of pages, fairly between workspaces, caches them, and shows the previous one while a newer one is slow. */
import { Deferred, Duration, Effect, FiberId, FiberSet } from "effect"
import { type NotFound, Unavailable } from "../../schema/Errors.ts"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import { makeByteCache } from "../domain/tools/ByteCache.ts"
import { makeFairQueue } from "../domain/tools/queues/FairQueue.ts"
import { makeFairSlots, neverFull } from "../loops/FairSlots.ts"
import { formKey, isChosen, type PageForm } from "./PageForm.ts"
import type { WebDocument } from "./WebDocument.ts"

type Failure = NotFound | Unavailable

interface Rendered {
  readonly document: WebDocument
  /** True if it shows an older snapshot than asked for. */
  readonly isOlder: boolean
}

/** A document, and the CPU time that it took. */
interface Drawn {
  readonly document: WebDocument
  readonly cpuMs: number
}

/** Makes a form of a snapshot, after a read if it needs one. */
interface Renderer<Read> {
  readonly read: (snapshot: Snapshot, form: PageForm) => Effect.Effect<Read, Failure> | null
  readonly draw: (snapshot: Snapshot, form: PageForm, read: Read | null) => Effect.Effect<Drawn>
}

/** Forms rendered at the same time, since each in progress holds a whole page; one of each workspace. */
const drawing = { slots: 2, mostPerOwner: 1 }

/** Forms whose incidents are read or held. A slow read delays no form that shows the snapshot alone. */
const reading = { slots: 4, mostPerOwner: 1 }

/** Queue limits of forms: one per workspace at a time goes on to the slots above. Further ones are unavailable. */
const waiting = { slots: Number.MAX_SAFE_INTEGER, mostPerOwner: 1, room: { total: 5000, perOwner: 200, weigh: () => 1 } }

/** After a rendering, its workspace pauses for `times` its CPU time, so it uses at most a quarter of the CPU; `most` in ms. */
const rest = { times: 3, most: 10_000 }

/** How long a visitor waits for a form: if an older rendering can be shown, and if there is none. */
const patience = { older: Duration.seconds(2), none: Duration.seconds(10) }

/** How much older a rendering may be that is shown, ms: it says itself when its data was read. */
const mostOlder = Duration.toMillis("5 minutes")

const mebibyte = 1024 * 1024
/** Compressed documents in memory. */
const limits = { entries: 50_000, bytes: 128 * mebibyte, bytesPerOwner: 32 * mebibyte }
/** Limits of forms that visitors choose, which displace no others. */
const limitsOfChosen = { entries: 10_000, bytes: 32 * mebibyte, bytesPerOwner: 4 * mebibyte }
/** A document beside its body, bytes. */
const overhead = 1000

const crowded = new Unavailable({
  message: "Too many forms of this page wait to be rendered",
  hint: "Try again in a few seconds"
})

interface Kept {
  readonly document: WebDocument
  /** Names its snapshot without keeping it in memory. */
  readonly snapshot: WeakRef<Snapshot>
  readonly at: number
}

/** A rendering that is under way or waits. Until it begins, a newer snapshot of the page takes the place of its own. */
interface Job {
  snapshot: Snapshot
  begun: boolean
  readonly form: PageForm
  /** Whether visitors have nothing to see until it is done. The usual forms of a page are few, so these go first and need no rest. */
  readonly isFirst: boolean
  readonly done: Deferred.Deferred<WebDocument, Failure>
}

/** Whether a rendering is as new as a snapshot. */
const covers = (made: { readonly snapshot: Snapshot | undefined; readonly at: number }, asked: Snapshot): boolean =>
  made.snapshot === asked || made.at > asked.at.epochMillis

const makeKept = () => {
  const usual = makeByteCache<Kept>(limits)
  const chosen = makeByteCache<Kept>(limitsOfChosen)
  const cacheOf = (form: PageForm) => isChosen(form) ? chosen : usual
  return {
    rendered: (key: string) => usual.use(key),
    use: (key: string, form: PageForm) => cacheOf(form).use(key),
    keep: (key: string, form: PageForm, snapshot: Snapshot, document: WebDocument) =>
      cacheOf(form).keep(
        key,
        snapshot.page.workspaceId,
        { document, snapshot: new WeakRef(snapshot), at: snapshot.at.epochMillis },
        document.gzip.length + overhead
      )
  }
}

/** The newest snapshots of pages that have waiting jobs, so that no job renders or holds a superseded one. */
const makeJobs = () => {
  const jobs = new Map<string, Job>()
  const pages = new Map<string, Set<Job>>()

  const begin = (job: Job) => {
    job.begun = true
    const waiting = pages.get(job.snapshot.page.id)
    waiting?.delete(job)
    if (waiting?.size === 0) pages.delete(job.snapshot.page.id)
  }

  return {
    /** The job that will show all of a snapshot; undefined if there is none. */
    find: (key: string, snapshot: Snapshot): Job | undefined => {
      for (const job of pages.get(snapshot.page.id) ?? []) {
        if (!covers({ snapshot: job.snapshot, at: job.snapshot.at.epochMillis }, snapshot)) job.snapshot = snapshot
      }
      const job = jobs.get(key)
      return job !== undefined && covers({ snapshot: job.snapshot, at: job.snapshot.at.epochMillis }, snapshot) ? job : undefined
    },
    add: (key: string, job: Job) => {
      jobs.set(key, job)
      const waiting = pages.get(job.snapshot.page.id) ?? new Set<Job>()
      pages.set(job.snapshot.page.id, waiting.add(job))
    },
    begin,
    end: (key: string, job: Job) => {
      if (!job.begun) begin(job)
      if (jobs.get(key) === job) jobs.delete(key)
    }
  }
}

const makeTurns = () => {
  const draws = makeFairSlots(makeFairQueue<() => void>(drawing), neverFull)
  const reads = makeFairSlots(makeFairQueue<() => void>(reading), neverFull)
  const waits = makeFairSlots(makeFairQueue<() => void>(waiting), Effect.fail(crowded))

  const rendered = <Read>({ draw, read }: Renderer<Read>, { form, snapshot }: Job): Effect.Effect<Drawn, Failure> => {
    const owner = snapshot.page.workspaceId
    const needed = read(snapshot, form)
    return needed === null
      ? draws(owner, draw(snapshot, form, null))
      : reads(owner, Effect.flatMap(needed, (found) => draws(owner, draw(snapshot, form, found))))
  }

  /** Renders in a slot of the job's workspace, completes the job, and rests. */
  return <Read>(renderer: Renderer<Read>, job: Job, begin: () => void, tell: (document: WebDocument) => Effect.Effect<void>) => {
    const { workspaceId } = job.snapshot.page
    const work = Effect.suspend(() => {
      begin()
      return rendered(renderer, job)
    }).pipe(
      Effect.tap(({ document }) => tell(document)),
      Effect.tap(({ cpuMs }) =>
        cpuMs < 1 || job.isFirst ? Effect.void : Effect.sleep(Duration.millis(Math.min(rest.most, rest.times * cpuMs)))
      )
    )
    // Reads wait apart, so that a database that is away delays no form that shows the snapshot alone.
    return waits(renderer.read(job.snapshot, job.form) === null ? workspaceId : `${workspaceId} reads`, work, job.isFirst)
  }
}

export const makeRenderings = <Read>(renderer: Renderer<Read>) =>
  Effect.map(FiberSet.makeRuntime<never>(), (run) => {
    const kept = makeKept()
    const jobs = makeJobs()
    const inTurn = makeTurns()
    const keyOf = (snapshot: Snapshot, form: string) => `${snapshot.page.id} ${form}`

    const start = (key: string, form: PageForm, snapshot: Snapshot, isFirst: boolean): Job => {
      const job: Job = { snapshot, form, isFirst, begun: false, done: Deferred.unsafeMake(FiberId.none) }
      jobs.add(key, job)
      const tell = (document: WebDocument) =>
        Effect.suspend(() => {
          kept.keep(key, form, job.snapshot, document)
          jobs.end(key, job)
          return Deferred.succeed(job.done, document)
        })
      run(
        inTurn(renderer, job, () => jobs.begin(job), tell).pipe(
          Effect.onError((cause) => {
            jobs.end(key, job)
            return Deferred.failCause(job.done, cause)
          }),
          // The waiting requests receive the failure.
          Effect.catchAllCause(() => Effect.void)
        )
      )
      return job
    }

    const of = (snapshot: Snapshot, form: PageForm): Effect.Effect<Rendered, Failure> =>
      Effect.suspend(() => {
        const key = keyOf(snapshot, formKey(form))
        const last = kept.use(key, form)
        if (last !== undefined && covers({ snapshot: last.snapshot.deref(), at: last.at }, snapshot)) {
          return Effect.succeed({ document: last.document, isOlder: false })
        }
        const hasOlder = last !== undefined && snapshot.at.epochMillis - last.at <= mostOlder
        const job = jobs.find(key, snapshot) ?? start(key, form, snapshot, !hasOlder && !isChosen(form))
        const newest = Effect.map(Deferred.await(job.done), (document): Rendered => ({ document, isOlder: false }))
        if (!hasOlder) {
          return Effect.timeoutFail(newest, { duration: patience.none, onTimeout: () => crowded })
        }
        const older: Rendered = { document: last.document, isOlder: true }
        return newest.pipe(
          Effect.timeoutTo({ duration: patience.older, onSuccess: (one) => one, onTimeout: () => older }),
          Effect.catchTag("unavailable", () => Effect.succeed(older))
        )
      })

    return {
      of,
      /** A form of this snapshot by its key, if it has been rendered already. */
      rendered: (snapshot: Snapshot, form: string): WebDocument | undefined => {
        const last = kept.rendered(keyOf(snapshot, form))
        return last !== undefined && last.snapshot.deref() === snapshot ? last.document : undefined
      }
    }
  })
