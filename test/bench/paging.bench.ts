/**
 * Outages that each page one person by push, one after the other, beside ordinary monitors. How long after the end of the check that decides
 * the push service has the page, and what of that the stages take. One line of JSON; fails above its goal.
 */
import { SqlClient } from "@effect/sql"
import { Effect, Redacted, Schedule, Schema } from "effect"
import { WorkspaceId } from "../../schema/Ids.ts"
import { cookieName } from "../../src/http/guard/SessionCookie.ts"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { newSession } from "../support/database/SessionRows.ts"
import { pushService } from "../support/services/PushService.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"

const [baseUrl = "", apiKey = "", database = ""] = process.argv.slice(2)
const [monitors = 1000, outages = 200] = process.argv.slice(5).map(Number)
const people = 20
const intervalSec = 10
/** Between two outages. */
const apartMs = 300
const goalP99Ms = 1000

const Made = Schema.Struct({ id: Schema.String })

const request = <A, I>(
  method: string,
  path: string,
  schema: Schema.Schema<A, I>,
  body?: object,
  headers: Record<string, string> = { authorization: `Bearer ${apiKey}` }
) =>
  Effect.tryPromise((signal) =>
    fetch(`${baseUrl}/api/v1${path}`, {
      method,
      signal,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }).then((response): Promise<unknown> => response.json())
  ).pipe(
    Effect.flatMap(Schema.decodeUnknown(schema)),
    // Above the rate of the interface, later again.
    Effect.retry(Schedule.intersect(Schedule.spaced("3 seconds"), Schedule.recurs(30))),
    Effect.orDie
  )

const Paged = Schema.parseJson(Schema.Struct({ kind: Schema.Literal("page"), tag: Schema.String }))

/** When the check of an incident had its result, and when it was recorded, paged and handed to delivery; ms since 1970. */
interface Stages {
  readonly incidentId: string
  readonly decided: number
  readonly recorded: number
  readonly paged: number
  readonly planned: number
}

const stagesOf = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql<Stages>`
    select p.incident_id as "incidentId",
           (extract(epoch from (down.data->'check'->>'at')::timestamptz) * 1000 + (down.data->'check'->>'latencyMs')::float8)::float8 as decided,
           (extract(epoch from down.at) * 1000)::float8 as recorded, (extract(epoch from e.at) * 1000)::float8 as paged,
           (extract(epoch from d.created_at) * 1000)::float8 as planned
    from pagings p
    join events e on e.workspace_id = p.workspace_id and e.id = p.event_id
    join deliveries d on d.event_id = p.event_id and d.channel_id = p.way_id
    join events down on down.workspace_id = p.workspace_id and down.type = 'monitor.down'
      and down.data->'incident'->>'id' = p.incident_id
    where p.kind = 'push'`)

const shareOf = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((one, other) => one - other)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)
}

const both = (values: ReadonlyArray<number>) => ({ p50: shareOf(values, 0.5), p99: shareOf(values, 0.99) })

const addPerson = Effect.fn("addPerson")(function*(
  workspaceId: WorkspaceId,
  device: { readonly endpoint: string },
  monitorIds: ReadonlyArray<string>
) {
  const { token, userId } = yield* newSession(workspaceId, "member")
  const headers = { cookie: `${cookieName(baseUrl)}=${token}`, "sec-fetch-site": "same-origin" }
  yield* request("POST", `/oncall/members/${userId}/ways`, Made, { kind: "push", ...device }, headers)
  const levels = [{ afterMinutes: 0, targets: [{ type: "user", id: userId }] }]
  yield* request("POST", "/escalation-policies", Made, { name: userId, isDefault: false, levels, monitorIds })
})

const bench = Effect.gen(function*() {
  const service = yield* pushService()
  const broken = new Set<string>()
  const url = yield* httpTarget((asked, response) => void response.writeHead(broken.has(asked.url ?? "") ? 503 : 200).end())
  const { workspace } = yield* request(
    "GET",
    "/agent/whoami",
    Schema.Struct({ workspace: Schema.Struct({ id: WorkspaceId }) })
  )
  const paths = Array.from({ length: outages }, (_, index) => `/${index}`)
  const ids = yield* Effect.forEach(
    paths,
    (path) => request("POST", "/monitors", Made, { name: path, url: `${url}${path}`, intervalSec, failureThreshold: 1 }),
    { concurrency: 4 }
  )
  for (let person = 0; person < people; person++) {
    const own = ids.filter((_, index) => index % people === person).map(({ id }) => id)
    yield* addPerson(workspace.id, service.subscribe(`device-${person}`), own)
  }
  yield* request("GET", "/monitors?state=pending&limit=1", Schema.Struct({ data: Schema.Array(Schema.Unknown) })).pipe(
    Effect.delay("1 second"),
    Effect.repeat({ until: ({ data }) => data.length === 0, times: 180 })
  )
  for (const path of paths) {
    broken.add(path)
    yield* Effect.sleep(apartMs)
  }
  yield* Effect.sync(() => service.seen.length).pipe(
    Effect.delay("1 second"),
    Effect.repeat({ until: (count) => count >= outages, times: 60 })
  )
  // A second page of the same would come by now.
  yield* Effect.sleep("3 seconds")
  const arrived = new Map(
    service.seen.map(({ at, data }) => [Schema.decodeSync(Paged)(data).tag.split("/").at(-1) ?? "", at])
  )
  const stages = (yield* stagesOf).flatMap((one) => {
    const handed = arrived.get(one.incidentId)
    return handed === undefined ? [] : [{ ...one, handed }]
  })
  const { p50, p99 } = both(stages.map(({ decided, handed }) => handed - decided))
  console.log(JSON.stringify({
    bench: "paging",
    monitors,
    outages,
    pages: service.seen.length,
    p50Ms: p50,
    p99Ms: p99,
    slowestMs: shareOf(stages.map(({ decided, handed }) => handed - decided), 1),
    stagesMs: {
      recorded: both(stages.map(({ decided, recorded }) => recorded - decided)),
      paged: both(stages.map(({ paged, recorded }) => paged - recorded)),
      planned: both(stages.map(({ paged, planned }) => planned - paged)),
      handed: both(stages.map(({ handed, planned }) => handed - planned))
    },
    goalP99Ms
  }))
  if (stages.length !== outages || service.seen.length !== outages || p99 > goalP99Ms) process.exitCode = 1
})

await Effect.runPromise(
  Effect.scoped(bench).pipe(
    Effect.provide(Database.layer(Redacted.make(database), { maxConnections: 2, applicationName: "belltower bench" }))
  )
)
process.exit()
