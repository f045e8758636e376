/** The passwords of private pages: only their scrypt hashes are stored, and a visitor's browser keeps a signed grant. */
import { SqlClient } from "@effect/sql"
import { Clock, DateTime, Duration, Effect, Option, Schema } from "effect"
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { grantFor, grantText, hashParts, keyLength, scryptCost, storedHash } from "../../domain/page/PagePassword.ts"
import { LinkKeys } from "../LinkKeys.ts"
import { findOne } from "../postgres/Queries.ts"

/** Off the event loop, on the threads of libuv. */
const derive = (password: string, salt: Uint8Array): Effect.Effect<Buffer> =>
  Effect.async((resume) =>
    scrypt(
      password.normalize("NFKC"),
      salt,
      keyLength,
      scryptCost,
      (error, key) => resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  )

/** Hashes that are made at the same time: each takes a thread and 16 MiB. */
const atOnce = 2

type GuardedPage = Pick<SettledPage, "id" | "passwordSetAt">

export class PagePasswords extends Effect.Service<PagePasswords>()("belltower/PagePasswords", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signer = yield* LinkKeys
    const permits = yield* Effect.makeSemaphore(atOnce)
    const hashed = (password: string, salt: Uint8Array) => permits.withPermits(1)(derive(password, salt))

    // By the id alone: the visitor, who has no workspace, was led here by the page's address.
    const stored = findOne(
      Schema.Struct({ hash: Schema.NullOr(Schema.String) }),
      (id: PageId) => sql`select password_hash as hash from pages where id = ${id}`
    )

    return {
      hash: (password: string) =>
        Effect.suspend(() => {
          const salt = randomBytes(16)
          return Effect.map(hashed(password, salt), (key) => storedHash(salt, key))
        }),
      /** Sets or, with null, removes the hash of a page's password, in the caller's transaction. */
      set: Effect.fn("PagePasswords.set")(function*(workspaceId: WorkspaceId, id: PageId, hash: string | null) {
        const at = hash === null ? null : DateTime.toDateUtc(yield* DateTime.now)
        yield* sql`
          update pages set password_hash = ${hash}, password_set_at = ${at} where workspace_id = ${workspaceId} and id = ${id}`
      }, Effect.orDie),
      matches: Effect.fn("PagePasswords.matches")(function*(id: PageId, password: string) {
        const found = yield* stored(id)
        const parts = Option.match(found, { onNone: () => null, onSome: ({ hash }) => hash === null ? null : hashParts(hash) })
        if (parts === null) return false
        const key = yield* hashed(password, parts.salt)
        return key.length === parts.key.length && timingSafeEqual(key, parts.key)
      }),
      /** The cookie of a visitor who gave the password. */
      grant: (page: GuardedPage) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const expires = now + Duration.toMillis(grantFor)
          const text = page.passwordSetAt === null ? null : grantText(page.id, page.passwordSetAt, expires)
          return `${expires}.${text === null ? "" : signer.sign(text)}`
        }),
      /** Whether a grant is this page's, of its present password, and has not expired. */
      isGranted: (page: GuardedPage, grant: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const [expires = "", signature = ""] = grant.split(".")
          if (page.passwordSetAt === null || !/^\d{1,15}$/.test(expires) || Number(expires) <= now) return false
          return signer.isSigned(grantText(page.id, page.passwordSetAt, Number(expires)), signature)
        })
    }
  })
}) {}
