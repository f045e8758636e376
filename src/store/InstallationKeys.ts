/** Random keys of the installation, one for each purpose: made when they are first needed, and kept sealed. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { findOne, write } from "./postgres/Queries.ts"
import { cellOf } from "./SealedColumns.ts"
import { Vault } from "./Vault.ts"

/** From which the keys of probes follow: an X25519 private key. It does not follow from the secret, which may be replaced. */
export const probeKeyName = "probes"

/** By which apis and runners know each other. */
export const clusterKeyName = "cluster"

export class InstallationKeys extends Effect.Service<InstallationKeys>()("belltower/InstallationKeys", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const sealedKey = findOne(
      Schema.Struct({ sealed: Schema.String }),
      (name: string) => sql`select sealed from installation_keys where name = ${name}`
    )
    const cell = (name: string) => cellOf("installation_keys.sealed", name)

    /** The key of a purpose; none if it was never made. */
    const find = Effect.fn("InstallationKeys.find")(function*(name: string) {
      const found = yield* sealedKey(name)
      if (Option.isNone(found)) return Option.none<Uint8Array>()
      return Option.some(new Uint8Array(Buffer.from(yield* vault.unseal(cell(name), found.value.sealed), "base64")))
    })

    /** Keeps a key, unless there is one of that name. */
    const keep = Effect.fn("InstallationKeys.keep")(function*(name: string, key: Uint8Array) {
      const sealed = yield* vault.seal(cell(name), Buffer.from(key).toString("base64"))
      yield* write(sql`insert into installation_keys (name, sealed) values (${name}, ${sealed}) on conflict do nothing`)
    })

    /** The key of a purpose, 32 bytes. Processes that ask first at the same time agree on one. */
    const key = Effect.fn("InstallationKeys.key")(function*(name: string) {
      const found = yield* find(name)
      if (Option.isSome(found)) return found.value
      yield* keep(name, randomBytes(32))
      return Option.getOrThrow(yield* find(name))
    })

    return { find, keep, key }
  })
}) {}
