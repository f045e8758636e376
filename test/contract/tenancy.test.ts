/**
 * Runs every operation of the registry against the real handlers: no access to other workspaces, no writes with a read key,
 * no access without a key. New operations are covered without an edit here.
 */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer, Option, SchemaAST } from "effect"
import { IdPrefixes, WayId } from "../../schema/Ids.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { type Operation, operations } from "../../src/http/openapi/Operations.ts"
import { mint } from "../../src/store/Mint.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { attacks, fieldsOf } from "../support/hostile/HostileInputs.ts"
import { TestProgram } from "../support/program/Program.ts"
import { bearer, callJson, type Json, newKey } from "../support/program/TestServer.ts"

const guarded = operations.filter(({ scope }) => scope !== "public")
const writes = guarded.filter(({ scope }) => scope === "write")

/** The noun of a path parameter: the preceding collection, such as `monitors`, and the id prefix of its schema. */
interface Parameter {
  readonly name: string
  readonly collection: string
  readonly prefix: string | null
}

const parametersOf = ({ path, pathParams }: Operation): ReadonlyArray<Parameter> =>
  Option.match(pathParams, {
    onNone: () => [],
    onSome: ({ ast }) =>
      SchemaAST.getPropertySignatures(ast).map(({ name, type }) => {
        const prefixes = type.annotations[IdPrefixes]
        const prefix: unknown = Array.isArray(prefixes) ? prefixes[0] : null
        return {
          name: String(name),
          collection: new RegExp(`/([^/]+)/:${String(name)}`).exec(path)?.[1] ?? "",
          prefix: typeof prefix === "string" ? prefix : null
        }
      })
  })

const withPath = (operation: Operation, idOf: (parameter: Parameter) => string): string =>
  parametersOf(operation).reduce((path, one) => path.replace(`:${one.name}`, idOf(one)), String(operation.path))

const isOwned = (operation: Operation) => parametersOf(operation).length > 0

/** A well-formed id that does not exist. */
const stranger = ({ prefix }: Pick<Parameter, "prefix">) => makeId(prefix ?? "mon", 1_700_000_000_000, Buffer.alloc(10, 7))

const idPattern = /"([a-z]{2,4})_([0-9a-hjkmnp-tv-z]{26})"/g

/** The request body examples of the document, by operation. */
const bodies = Effect.map(callJson("/api/v1/openapi.json"), ({ body }) => {
  const shown = Object.values<Json>(body.paths).flatMap((methods) => Object.values<Json>(methods))
  return new Map<string, unknown>(
    shown.map(({ operationId, requestBody }) => [operationId, requestBody?.content?.["application/json"]?.example])
  )
})

/** Queries that keep a call short. */
const queries: Readonly<Record<string, string>> = { wait_for_monitor: "?timeoutSec=1" }

const calling =
  (examples: ReadonlyMap<string, unknown>) => (operation: Operation, path: string, headers: Record<string, string>) => {
    const hasBody = Option.isSome(operation.payload)
    return callJson(`${path}${queries[operation.id] ?? ""}`, {
      method: operation.method,
      headers: { ...headers, ...(hasBody ? { "content-type": "application/json" } : {}) },
      ...(hasBody ? { body: JSON.stringify(examples.get(operation.id) ?? {}) } : {})
    })
  }

type Call = ReturnType<typeof calling>

/** Creates one of everything in a workspace, from the examples, and returns the ids by collection. */
const furnish = (call: Call, headers: Record<string, string>) =>
  Effect.gen(function*() {
    const made = new Map<string, string>()
    const seen = new Map<string, string>()
    // An invitation is made among the members, and is no person.
    const idOf = ({ collection, prefix }: Parameter) =>
      [made.get(collection), seen.get(prefix ?? "")].find((id) =>
        id !== undefined && (collection !== "members" || prefix === undefined || prefix === null || id.startsWith(`${prefix}_`))
      )
    const makers = writes.filter(({ method, success }) => method === "PUT" || (method === "POST" && success === 201))
    const readers = guarded.filter((operation) => operation.method === "GET" && !isOwned(operation))
    // Operations that need the id of another record come after it.
    const ordered = [...makers].sort((a, b) => parametersOf(a).length - parametersOf(b).length)
    for (const operation of [...ordered, ...readers]) {
      const { body, status } = yield* call(operation, withPath(operation, (one) => idOf(one) ?? stranger(one)), headers)
      if (status === 201 && typeof body.id === "string") made.set(operation.path.split("/").at(-1) ?? "", body.id)
      for (const [, prefix = "", rest = ""] of JSON.stringify(body).matchAll(idPattern)) {
        if (!seen.has(prefix)) seen.set(prefix, `${prefix}_${rest}`)
      }
    }
    return { idOf, ids: [...new Set([...made.values(), ...seen.values()])] }
  })

/** One filled workspace, shared by all tests. */
class Inside extends Effect.Service<Inside>()("test/Inside", {
  effect: Effect.gen(function*() {
    const examples = yield* bodies
    const call = calling(examples)
    const mine = yield* newKey()
    const sql = yield* SqlClient.SqlClient
    yield* sql`update workspaces set claimed_at = now() where id = ${mine.workspaceId}`
    // A member with a way, which nobody can add from outside: its address is a browser's.
    const { userId } = yield* signedIn(mine.workspaceId, "member")
    const wayId = yield* mint("way", WayId)
    yield* sql`
      insert into contact_ways (id, workspace_id, user_id, kind, label, shown, sealed, target_hash, created_at, updated_at)
      values (${wayId}, ${mine.workspaceId}, ${userId}, 'push', 'Phone', 'push.test', 'sealed', 'hash', now(), now())`
    const { idOf: madeId, ids } = yield* furnish(call, mine.headers)
    const idOf = (one: Parameter) => (one.prefix === "way" ? wayId : madeId(one))
    const pathOf = (operation: Operation) => withPath(operation, (one) => idOf(one) ?? stranger(one))
    /** Whether everything that its path refers to exists. */
    const isReal = (operation: Operation) => parametersOf(operation).every((one) => idOf(one) !== undefined)
    return { call, examples, mine, ids, isReal, pathOf }
  })
}) {}

const ground = Inside.Default.pipe(Layer.provideMerge(TestProgram))

layer(ground, { excludeTestServices: true, timeout: "60 seconds" })("every operation in the registry", (it) => {
  it.effect("with an id in its path answers for another workspace's record as for a missing one", () =>
    Effect.gen(function*() {
      const { call, isReal, mine, pathOf } = yield* Inside
      const theirs = yield* newKey()
      const plain = (body: Json) => JSON.stringify(body).replaceAll(/[a-z]+_[0-9a-z]{26}/g, "id")
      const owned = guarded.filter(isOwned)
      for (const operation of owned) {
        const { body, status } = yield* call(operation, pathOf(operation), theirs.headers)
        expect([operation.id, status, body.error?.code]).toEqual([operation.id, 404, "not_found"])
        const nothing = yield* call(operation, withPath(operation, stranger), theirs.headers)
        expect([operation.id, plain(body)]).toEqual([operation.id, plain(nothing.body)])
      }
      // The records that outsiders tried to change still exist.
      for (const operation of owned.filter((one) => one.method === "GET" && isReal(one))) {
        expect([operation.id, (yield* call(operation, pathOf(operation), mine.headers)).status]).toEqual([operation.id, 200])
      }
      expect(owned.filter(isReal).length).toBeGreaterThan(owned.length * 0.75)
    }))

  it.effect("that lists shows another workspace nothing of this one", () =>
    Effect.gen(function*() {
      const { call, ids } = yield* Inside
      const theirs = yield* newKey()
      for (const operation of guarded.filter((one) => one.method === "GET" && !isOwned(one))) {
        const { body } = yield* call(operation, operation.path, theirs.headers)
        const text = JSON.stringify(body)
        expect([operation.id, ids.filter((id) => text.includes(id))]).toEqual([operation.id, []])
      }
    }))

  it.effect("that refuses an input says of each field what is wrong with it", () =>
    Effect.gen(function*() {
      const { examples } = yield* Inside
      const { headers } = yield* newKey()
      const withBody = operations.filter(({ method, payload }) => method !== "DELETE" && Option.isSome(payload))
      let refused = 0
      for (const operation of withBody) {
        const fields = fieldsOf(operation.payload)
        const strange = JSON.stringify(examples.get(operation.id) ?? {})
          .replaceAll(idPattern, (_, prefix: string) => `"${stranger({ prefix })}"`)
        const inputs = [...Object.values(attacks).map((attack) => JSON.stringify(attack(fields, 5))), strange]
        for (const body of inputs) {
          const answer = yield* callJson(withPath(operation, stranger), {
            method: operation.method,
            headers: { ...headers, "content-type": "application/json" },
            body
          })
          if (answer.status !== 422) continue
          refused += 1
          for (const detail of answer.body.error.details ?? []) {
            expect([operation.id, detail]).toEqual([operation.id, {
              path: expect.any(String),
              message: expect.stringMatching(/./)
            }])
          }
        }
      }
      expect(refused).toBeGreaterThan(withBody.length)
    }))

  it.effect("that writes rejects a read key and changes nothing", () =>
    Effect.gen(function*() {
      const { call, mine, pathOf } = yield* Inside
      const reader = yield* newKey(["read"], { workspaceId: mine.workspaceId })
      for (const operation of writes) {
        const { body, status } = yield* call(operation, pathOf(operation), reader.headers)
        expect([operation.id, status, body.error?.code]).toEqual([operation.id, 403, "forbidden"])
      }
      expect((yield* callJson("/api/v1/agent/whoami", { headers: mine.headers })).status).toBe(200)
    }))

  it.effect("that reads hides from a read key the URLs that allow writing without a key", () =>
    Effect.gen(function*() {
      const { call, mine, pathOf } = yield* Inside
      const made = { ...mine.headers, "content-type": "application/json" }
      const post = (path: string, body: Json) => callJson(path, { method: "POST", headers: made, body: JSON.stringify(body) })
      const beating = yield* post("/api/v1/monitors", { name: "Job", periodSec: 60 })
      const page = yield* post("/api/v1/pages", { name: "Pushed" })
      yield* post(`/api/v1/pages/${page.body.id}/components`, { name: "Pushed", push: true })
      const reader = yield* newKey(["read"], { workspaceId: mine.workspaceId })
      const monitorPath = `/api/v1/monitors/${beating.body.id}`
      const shows = (headers: Record<string, string>) =>
        Effect.gen(function*() {
          const readers = guarded.filter(({ method }) => method === "GET")
          const bodies = yield* Effect.forEach(readers, (one) => call(one, pathOf(one), headers))
          const answers = [
            ...bodies,
            yield* callJson(monitorPath, { headers }),
            yield* callJson(`/api/v1/pages/${page.body.id}`, { headers })
          ]
          return new Set([...JSON.stringify(answers.map(({ body }) => body)).matchAll(/\/(?:hb|push)\//g)].map(([path]) => path))
        })
      expect(yield* shows(mine.headers)).toEqual(new Set(["/hb/", "/push/"]))
      expect(yield* shows(reader.headers)).toEqual(new Set())
    }))

  describe("every operation that needs a caller", () => {
    it.effect("rejects a missing key, a wrong one, and one of another service", () =>
      Effect.gen(function*() {
        const { call, pathOf } = yield* Inside
        const wrong = [{}, bearer(`bell_live_${"x".repeat(40)}`), { authorization: "Basic Zm9vOmJhcg==" }]
        for (const operation of guarded) {
          for (const headers of wrong) {
            const { body, status } = yield* call(operation, pathOf(operation), headers)
            expect([operation.id, status, body.error?.code]).toEqual([operation.id, 401, "unauthorized"])
          }
        }
      }))
  })
})
