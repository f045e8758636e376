/** The ping key of a workspace: shown, replaced, and followed from a ping to the heartbeat that its slug names. */
import { Effect, Option } from "effect"
import { Conflict, NotFound } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { PingKey } from "../../../schema/monitor/PingKey.ts"
import { pingSlug } from "../../domain/monitor/job/PingSlug.ts"
import { Links } from "../../links/Links.ts"
import { type PingKeyRow, PingKeys } from "../../store/monitor/PingKeys.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { ManageMonitors } from "./ManageMonitors.ts"

/** As Healthchecks makes them. */
const usual = { periodSec: 86_400, graceSec: 3600 }

const noKey = new NotFound({
  message: "No workspace has this ping key",
  hint: "GET /api/v1/ping-key shows it; one that was replaced has stopped working"
})

const noSlug = (slug: string) =>
  new NotFound({
    message: `No heartbeat monitor is named ${slug}`,
    hint: "Name one so, or add create=1 and allow it with POST /api/v1/ping-key and {\"create\": true}"
  })

const ambiguous = (slug: string) =>
  new Conflict({ message: `More than one heartbeat monitor is named ${slug}`, hint: "Rename one, or ping by its pingUrl" })

export class ManagePingKey extends Effect.Service<ManagePingKey>()("belltower/ManagePingKey", {
  effect: Effect.gen(function*() {
    const keys = yield* PingKeys
    const links = yield* Links
    const monitors = yield* ManageMonitors
    const transaction = yield* makeTransaction

    const recordOf = ({ createdAt, key, mayCreate }: PingKeyRow): PingKey => ({
      pingUrl: links.pingBySlug(key),
      create: mayCreate,
      createdAt
    })

    const create = (workspaceId: WorkspaceId, slug: string) =>
      transaction(Effect.gen(function*() {
        yield* keys.lockSlug(workspaceId, slug)
        const [made] = yield* keys.hashesOf(workspaceId, slug)
        if (made !== undefined) return made
        const { id } = yield* monitors.create(workspaceId, { name: slug, ...usual })
        return yield* Effect.flatMap(
          keys.hashOf(workspaceId, id),
          Option.match({ onNone: () => Effect.fail(noSlug(slug)), onSome: Effect.succeed })
        )
      }))

    return {
      get: (workspaceId: WorkspaceId): Effect.Effect<PingKey> =>
        Effect.map(
          keys.find(workspaceId),
          Option.match({ onNone: (): PingKey => ({ pingUrl: null, create: false, createdAt: null }), onSome: recordOf })
        ),
      create: (workspaceId: WorkspaceId, mayCreate: boolean) => Effect.map(keys.replace(workspaceId, mayCreate), recordOf),
      /** The hash of the token of the heartbeat that a slug names. With `wanted`, makes one where the workspace allows it. */
      heartbeatOf: Effect.fn("ManagePingKey.heartbeatOf")(function*(key: string, name: string, wanted: boolean) {
        const slug = pingSlug(name)
        const owner = yield* Effect.flatMap(
          keys.owner(key),
          Option.match({ onNone: () => Effect.fail(noKey), onSome: Effect.succeed })
        )
        const [hash, another] = slug === "" ? [] : yield* keys.hashesOf(owner.workspaceId, slug)
        if (another !== undefined) return yield* ambiguous(slug)
        if (hash !== undefined) return hash
        return wanted && owner.mayCreate && slug !== "" ? yield* create(owner.workspaceId, slug) : yield* noSlug(slug)
      })
    }
  }),
  dependencies: [ManageMonitors.Default]
}) {}
