/** Serves public pages from memory, refreshed after visible changes and at least every 30 s. */
import { type Cause, Clock, Deferred, Effect, FiberSet, Option, Schema, Stream } from "effect"
import { NotFound, Unavailable } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Slug } from "../../../schema/page/Page.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { pageOwner } from "../../domain/page/PageOwner.ts"
import type { Snapshot } from "../../domain/page/snapshot/Snapshot.ts"
import { makeFairQueue } from "../../domain/tools/queues/FairQueue.ts"
import { makeFairSlots } from "../../loops/FairSlots.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { WorkOwner } from "../../loops/WorkPriority.ts"
import { eventsSignal } from "../../store/event/EventLog.ts"
import { pagesSignal } from "../../store/page/Pages.ts"
import { Wakeups } from "../../store/postgres/Wakeups.ts"
import { type Change, isDue, type KeptPage, makeMissingPages, makePageCache } from "./PageCache.ts"
import { SnapshotLoader } from "./SnapshotLoader.ts"

interface Served {
  readonly snapshot: Snapshot
  /** True if the newest data could not be read and this is the last known state. */
  readonly stale: boolean
}

/** How long a visitor waits for a newer snapshot if an older one is cached. */
const rebuildTimeout = "2 seconds"

/** A hanging database counts as unavailable. */
const buildLimit = "10 seconds"

/** How long a visitor waits for a page that is not in memory, the wait for a slot included. */
const longestWait = "12 seconds"

const capacity = 1_000

const isSlug = Schema.is(Slug)

/** For a slug without a page, or with a private one. */
export const noPublicPage = new NotFound({
  message: "No public status page at this address",
  hint: "Its slug is the last part of its address; a private page needs its members' sign-in or its password"
})

const unavailable = new Unavailable({
  message: "The status of this page is temporarily unavailable",
  hint: "Try again in a few seconds"
})

/** A read in progress, shared by all visitors who arrive meanwhile. */
interface Build {
  readonly done: Deferred.Deferred<Option.Option<Snapshot>, Unavailable>
  /** The change since the read began, which the snapshot may not include. */
  overtaken: Change
}

/** Reads under way, for each workspace whose page is refreshed and each client who asks for another page. Others wait. */
const reading = { slots: 16, mostPerOwner: 2, room: { total: 2000, perOwner: 200, weigh: () => 1 } }

type Cache = ReturnType<typeof makePageCache>
type Missing = ReturnType<typeof makeMissingPages>
type Builds = Map<string, Build>

/** A page in memory is read for its workspace; another for the client who asks first. */
const ownerOf = (cache: Cache, slug: string) =>
  Effect.map(WorkOwner, (client) => {
    const known = cache.use(slug)
    return known === undefined ? client ?? slug : pageOwner(known.snapshot.page.workspaceId)
  })

/** Reads the newest snapshot of a page into the cache, once for all waiting visitors; fails with `unavailable`. */
const makeNewest = (cache: Cache, missing: Missing, builds: Builds) =>
  Effect.gen(function*() {
    const loader = yield* SnapshotLoader
    const run = yield* FiberSet.makeRuntime<never>()
    const slots = makeFairSlots(makeFairQueue<() => void>(reading), unavailable)
    let failing = false

    const load = Effect.fn("PublicPages.load")(
      function*(slug: string, build: Build) {
        const beganAt = yield* Clock.currentTimeMillis
        const snapshot = yield* Effect.timeout(loader.load(slug), buildLimit)
        if (Option.isNone(snapshot)) {
          cache.drop(slug)
          // A page that was made meanwhile must not be missing for seconds.
          if (build.overtaken !== "edit") missing.add(slug, yield* Clock.currentTimeMillis)
          return snapshot
        }
        const builtAt = yield* Clock.currentTimeMillis
        cache.keep(slug, {
          snapshot: snapshot.value,
          builtAt,
          tookMs: builtAt - beganAt,
          change: build.overtaken,
          failedAt: null
        })
        return snapshot
      },
      Effect.tap(() => {
        failing = false
      })
    )

    /** Logs one line per outage, not one per visitor. */
    const logFailure = (slug: string, cause: Cause.Cause<unknown>) =>
      Effect.suspend(() => {
        if (failing) return Effect.void
        failing = true
        return Effect.logWarning(`Reading status page ${slug} failed; serving cached snapshots`, cause)
      })

    const runBuild = (slug: string, build: Build, owner: string) =>
      Effect.provideService(slots(owner, load(slug, build)), WorkOwner, owner).pipe(
        Effect.tapErrorCause((cause) => logFailure(slug, cause)),
        Effect.tapErrorCause(() => Effect.map(Clock.currentTimeMillis, (now) => cache.markFailed(slug, now))),
        // Catches defects too: visitors keep the cached page however the read fails.
        Effect.catchAllCause(() => unavailable),
        Effect.ensuring(Effect.sync(() => builds.delete(slug))),
        Effect.intoDeferred(build.done)
      )

    return (slug: string) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          const owner = yield* ownerOf(cache, slug)
          const running = builds.get(slug)
          if (running !== undefined) return yield* restore(Deferred.await(running.done))
          const build: Build = { done: yield* Deferred.make<Option.Option<Snapshot>, Unavailable>(), overtaken: "none" }
          builds.set(slug, build)
          run(Effect.interruptible(runBuild(slug, build, owner)))
          return yield* restore(Deferred.await(build.done))
        })
      )
  })

/** Marks cached pages on each notification. An empty payload means that some were lost, so every page may have changed. */
const followChanges = (cache: Cache, missing: Missing, builds: Builds) =>
  Effect.gen(function*() {
    const wakeups = yield* Wakeups
    const follow = (channel: string, change: Change, isAffected: (page: KeptPage, slug: string, payload: string) => boolean) =>
      wakeups.listen(channel).pipe(
        Stream.runForEach((payload) =>
          Effect.sync(() => {
            cache.mark((page, slug) => payload === "" || isAffected(page, slug, payload), change)
            if (payload === "") missing.forgetAll()
            else if (change === "edit") missing.forget(payload)
            for (const build of builds.values()) build.overtaken = build.overtaken === "edit" ? "edit" : change
          })
        ),
        (loop) => restartForever(`Following page changes (${channel})`, loop),
        Effect.forkScoped
      )
    yield* follow(eventsSignal, "event", ({ snapshot }, _, workspaceId) => snapshot.page.workspaceId === workspaceId)
    yield* follow(pagesSignal, "edit", (_, slug, edited) => slug === edited)
  })

export class PublicPages extends Effect.Service<PublicPages>()("belltower/PublicPages", {
  scoped: Effect.gen(function*() {
    const cache = makePageCache(capacity)
    const builds: Builds = new Map()
    const missing = makeMissingPages()
    const newest = yield* makeNewest(cache, missing, builds)
    yield* followChanges(cache, missing, builds)

    const fresh = (slug: string) =>
      Effect.flatMap(
        Effect.timeoutFail(newest(slug), { duration: longestWait, onTimeout: () => unavailable }),
        Option.match({
          onNone: () => Effect.fail(noPublicPage),
          onSome: (snapshot) => Effect.succeed<Served>({ snapshot, stale: false })
        })
      )

    /** The page at a slug, public or not. Returns the cached snapshot if the read fails or is slow. */
    const any = Effect.fnUntraced(function*(slug: string) {
      if (!isSlug(slug)) return yield* noPublicPage
      const known = cache.use(slug)
      if (known === undefined) return missing.has(slug, yield* Clock.currentTimeMillis) ? yield* noPublicPage : yield* fresh(slug)
      const { failedAt, snapshot } = known
      if (!isDue(known, yield* Clock.currentTimeMillis)) return { snapshot, stale: failedAt !== null } satisfies Served
      const last: Served = { snapshot, stale: true }
      return yield* fresh(slug).pipe(
        Effect.timeout(rebuildTimeout),
        Effect.catchTags({ TimeoutException: () => Effect.succeed(last), unavailable: () => Effect.succeed(last) })
      )
    })

    /** The public page at a slug; fails with `not_found` for a private one, and with `unavailable`. */
    const get = (slug: string): Effect.Effect<Served, NotFound | Unavailable> =>
      Effect.filterOrFail(any(slug), ({ snapshot }) => snapshot.page.visibility === "public", () => noPublicPage)

    /** The page for a visitor who may see some pages that are not open to everybody; fails like `get`. */
    const getFor = <R>(
      slug: string,
      mayRead: (page: SettledPage) => Effect.Effect<boolean, never, R>
    ): Effect.Effect<Served, NotFound | Unavailable, R> =>
      Effect.flatMap(any(slug), (served) => {
        const { page } = served.snapshot
        if (page.visibility === "public") return Effect.succeed(served)
        return Effect.flatMap(mayRead(page), (may) => may ? Effect.succeed(served) : Effect.fail(noPublicPage))
      })

    /** The workspace's page as it is now; fails with `not_found` and `unavailable`. */
    const latest = (workspaceId: WorkspaceId, slug: string): Effect.Effect<Served, NotFound | Unavailable> =>
      Effect.filterOrFail(fresh(slug), ({ snapshot }) => snapshot.page.workspaceId === workspaceId, () => noPublicPage)

    /** The snapshot of a public page if a visitor would get it from memory at `now` (ms); else null. */
    const inMemory = (slug: string, now: number): Snapshot | null => {
      const known = cache.use(slug)
      if (known === undefined || known.failedAt !== null || isDue(known, now)) return null
      return known.snapshot.page.visibility === "public" ? known.snapshot : null
    }

    return {
      inMemory,
      /** For callers who know already that the visitor may see it; fails like `get`. */
      any,
      get,
      getFor,
      latest
    }
  }),
  dependencies: [SnapshotLoader.Default]
}) {}
