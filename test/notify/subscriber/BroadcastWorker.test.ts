/** The worker that tells subscribers: it gives back what it holds, sets a broken row aside, and leaves the event loop to others. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schema, Scope } from "effect"
import { EventId, PageId } from "../../../schema/Ids.ts"
import { defaultDeliveryLimits, subscriberLimits } from "../../../src/domain/alert/DeliveryLimits.ts"
import { makeSecret } from "../../../src/domain/alert/Signature.ts"
import { parseAllowList } from "../../../src/domain/check/address/Egress.ts"
import { BroadcastContents } from "../../../src/domain/subscriber/BroadcastContent.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { Links, linksFrom } from "../../../src/links/Links.ts"
import { makeBroadcastWorker } from "../../../src/notify/subscriber/BroadcastWorker.ts"
import { cellOf } from "../../../src/store/SealedColumns.ts"
import * as Store from "../../../src/store/Store.ts"
import { SubscriberSecrets } from "../../../src/store/subscriber/SubscriberRows.ts"
import { Vault } from "../../../src/store/Vault.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { testKeys } from "../../support/program/TestInstallation.ts"
import { makeManualClock } from "../../support/time/ManualClock.ts"
import { constantly, until } from "../../support/time/Until.ts"
import { answering, newWorkspace, receiver } from "../alert/Receiver.ts"

/** Resolves `<anything>.count` to nothing and counts it; everything else is this machine. */
let counted: Array<number> = []
let turn = 0

const guard = EgressGuard.Default({
  allow: Effect.runSync(parseAllowList("127.0.0.0/8")),
  resolve: (host, done) => {
    if (host.endsWith(".count")) counted.push(turn)
    else done(null, [{ address: "127.0.0.1", family: 4 }])
  }
})

const ground = Store.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(guard, testKeys, Layer.succeed(Links, linksFrom("http://belltower.test")))
  ),
  Layer.provideMerge(TestDatabase)
)

const contents: BroadcastContents = {
  id: EventId.make("evt_1"),
  type: "incident.created",
  timestamp: "2026-11-20T08:00:00.000Z",
  tone: "down",
  news: { audience: "all", incidentId: "inc_1", isAfterEnd: false, componentIds: [] },
  ends: false,
  byLanguage: {
    en: {
      page: {
        id: PageId.make("pg_1"),
        slug: "acme",
        name: "Acme",
        url: "https://acme.test",
        status: "degraded",
        statusText: "Degraded",
        api: ""
      },
      data: {},
      told: { title: "Slow", text: "", facts: [], link: "" }
    }
  }
}

/** A page with a subscriber for each URL, in this order, and a broadcast to them. A null URL has secrets that nobody can open. */
const broadcastTo = Effect.fn("broadcastTo")(function*(name: string, urls: ReadonlyArray<string | null>, type = "webhook") {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const workspaceId = yield* newWorkspace
  const pageId = PageId.make(`pg_${name}`)
  yield* sql`
    insert into pages (id, workspace_id, name, slug, visibility, theme, branding, settings, seo, created_at, updated_at)
    values (${pageId}, ${workspaceId}, ${name}, ${name}, 'public', '{}', '{}', '{}', '{}', now(), now())`
  const signing = makeSecret(new Uint8Array(32))
  const sealed = yield* Effect.forEach(urls, (url, at) => {
    const place = cellOf("subscribers.sealed", `sub_${name}_${String(at + 1).padStart(4, "0")}`)
    return url === null
      ? Effect.succeed("AQ==")
      : vault.seal(place, Schema.encodeSync(SubscriberSecrets)({ url, signing, manage: `m${at + 1}` }))
  })
  yield* sql`
    insert into subscribers (id, workspace_id, page_id, type, status, language, host, target_hash, sealed, manage_hash, created_at,
                             updated_at)
    select ${`sub_${name}_`} || lpad(n::text, 4, '0'), ${workspaceId}, ${pageId}, ${type}, 'active', 'en', 'http://h' || n, '\\x00',
           sealed, '\\x00', now(), now()
    from unnest(${sealed}::text[]) with ordinality as s (sealed, n)`
  yield* sql`
    insert into broadcasts (event_id, page_id, workspace_id, contents, visited_at, created_at)
    values ('evt_1', ${pageId}, ${workspaceId}, ${Schema.encodeSync(Schema.parseJson(BroadcastContents))(contents)}::jsonb,
            now(), now())`
  const open = sql<{ readonly attempts: number; readonly error: string | null; readonly isDue: boolean }>`
    select attempts, last_error as error, due_at <= now() + interval '1 second' as "isDue"
    from subscriber_deliveries where page_id = ${pageId}`
  const done = Effect.map(
    sql<{ readonly delivered: number }>`select delivered from broadcasts where page_id = ${pageId}`,
    ([row]) => row?.delivered ?? 0
  )
  return { open, done }
})

/** A worker that runs until the returned scope is closed. */
const startWorker = Effect.gen(function*() {
  const scope = yield* Scope.make()
  const worker = yield* makeBroadcastWorker({
    limits: subscriberLimits(defaultDeliveryLimits),
    timeoutMs: 10_000,
    share: () => 1,
    wake: Effect.void
  }).pipe(Scope.extend(scope))
  const loop = yield* Effect.forkIn(Effect.forever(Effect.flatMap(worker.step, (pause) => Effect.sleep(pause))), scope)
  return Effect.zipRight(Fiber.interrupt(loop), Scope.close(scope, Exit.void))
})

layer(ground, { excludeTestServices: true, timeout: "60 seconds" })("a worker that tells subscribers", (it) => {
  it.scoped("closes its connections when it stops, and another one tells whom it had not", () =>
    Effect.gen(function*() {
      let closed = 0
      const hanging = yield* receiver((response, count) => {
        if (count > 3) return void response.writeHead(204).end()
        response.socket?.once("close", () => closed++)
      })
      const { done, open } = yield* broadcastTo("stopped", [1, 2, 3].map((n) => `${hanging.url}?${n}`))
      const stop = yield* startWorker
      yield* until(Effect.sync(() => hanging.seen.length), (seen) => seen === 3)
      yield* stop
      expect(yield* open).toEqual(Array.from({ length: 3 }, () => ({ attempts: 0, error: null, isDue: true })))
      const stopOther = yield* startWorker
      yield* until(done, (delivered) => delivered === 3)
      yield* stopOther
      // Long before the attempts would have timed out.
      expect(closed).toBe(3)
      expect(hanging.seen.map(({ path }) => path.slice(-1)).sort()).toEqual(["1", "1", "2", "2", "3", "3"])
    }))

  it.scoped("counts secrets that it cannot open as a failed attempt, and tells the others", () =>
    Effect.gen(function*() {
      const hook = yield* receiver(answering(204))
      const { done, open } = yield* broadcastTo("broken", [`${hook.url}?1`, null, `${hook.url}?2`])
      const stop = yield* startWorker
      yield* until(Effect.all([done, open]), ([delivered, [row]]) => delivered === 2 && row?.attempts === 1)
      yield* stop
      expect(yield* open).toEqual([
        { attempts: 1, error: "Internal error in Belltower; see the server log", isDue: false }
      ])
    }))

  it.scoped("shows each subscriber in a chat where to manage the own subscription", () =>
    Effect.gen(function*() {
      const linkIn = { slack: /<(http[^|<>]+)\|Manage subscription>/, discord: /\[Manage subscription\]\((http[^()]+)\)/ }
      for (const type of ["slack", "discord"] as const) {
        const hook = yield* receiver(answering(200))
        const { done } = yield* broadcastTo(type, [1, 2].map((n) => `${hook.url}?${n}`), type)
        const stop = yield* startWorker
        yield* until(done, (delivered) => delivered === 2)
        yield* stop
        const links = hook.seen.map(({ body, path }) => [path.slice(-1), linkIn[type].exec(body)?.[1]])
        expect(links.sort()).toEqual(
          ["1", "2"].map((n) => [n, `http://belltower.test/subscriptions/sub_${type}_000${n}/m${n}`])
        )
      }
    }))

  it.scoped("begins at one address no more a second than its limit, however many names lead there", () =>
    Effect.gen(function*() {
      const hook = yield* receiver(answering(204))
      const { done } = yield* broadcastTo("rates", Array.from({ length: 24 }, (_, n) => `${hook.url}?${n}`))
      const manual = makeManualClock(0)
      const { step } = yield* makeBroadcastWorker({
        limits: { concurrency: 200, workspacePercent: 100, hostRate: 6 },
        timeoutMs: 10_000,
        share: () => 1,
        wake: Effect.void
      }).pipe(Effect.withClock(manual.clock))
      yield* Effect.withClock(Effect.repeatN(step, 3), manual.clock)
      for (const begun of [6, 12, 18, 24]) {
        yield* until(Effect.sync(() => hook.seen.length), (count) => count >= begun)
        expect(hook.seen.length).toBe(begun)
        yield* manual.pass(1)
      }
      yield* until(Effect.zipRight(manual.pass(1), done), (delivered) => delivered === 24, "60 seconds", constantly)
    }))

  it.scoped("calls no private address that a stranger chose, whatever its name led to before", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const hook = yield* receiver(answering(204))
      const { done, open } = yield* broadcastTo("strangers", [`${hook.url}?1`, `${hook.url}?2`])
      yield* sql`update subscribers set reaches_private = false where id = 'sub_strangers_0001'`
      const stop = yield* startWorker
      yield* until(Effect.all([done, open]), ([delivered, rows]) => delivered === 1 && rows.length === 0)
      yield* stop
      expect(hook.seen.map(({ path }) => path.slice(-1))).toEqual(["2"])
    }))

  it.scoped("starts few attempts in one turn of the event loop, so alerts run in between", () =>
    Effect.gen(function*() {
      counted = []
      const subscribers = 200
      yield* broadcastTo("turns", Array.from({ length: subscribers }, (_, n) => `http://h${n}.count/`))
      yield* Effect.forkScoped(Effect.forever(Effect.async<void>((resume) => {
        void setImmediate(() => {
          turn++
          resume(Effect.void)
        })
      })))
      const stop = yield* startWorker
      yield* until(Effect.sync(() => counted.length), (count) => count >= 120)
      yield* stop
      const perTurn = counted.map((at) => counted.filter((other) => other === at).length)
      expect(Math.max(...perTurn)).toBeLessThanOrEqual(64)
    }))
})
