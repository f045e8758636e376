/** The second factor of users: the sealed secret, the last code used, and the SHA-256 of the recovery codes. */
import { SqlClient } from "@effect/sql"
import { Clock, DateTime, Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import type { UserId } from "../../../schema/Ids.ts"
import { canonicalRecoveryCode, recoveryCodeBytes, recoveryCodeCount, recoveryCodeOf } from "../../domain/people/RecoveryCode.ts"
import { matchingStep } from "../../domain/people/Totp.ts"
import { atNow, exists, findSingle } from "../postgres/Queries.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { cellOf } from "../SealedColumns.ts"
import { tokenHash, Vault } from "../Vault.ts"

/** In bytes, as RFC 4226 recommends for SHA-1. */
const secretLength = 20

const FactorRow = Schema.Struct({
  sealed: Schema.NullOr(Schema.String),
  enabledAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  lastStep: Schema.NullOr(Schema.NumberFromString),
  codesLeft: Schema.Int
})

export class SecondFactors extends Effect.Service<SecondFactors>()("belltower/SecondFactors", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault

    const columns = sql.literal(`
      totp_sealed as sealed, totp_enabled_at as "enabledAt", totp_last_step::text as "lastStep",
      (select count(*)::int from recovery_codes r where r.user_id = users.id and r.used_at is null) as "codesLeft"`)
    const read = findSingle(FactorRow, (id: UserId) => sql`select ${columns} from users where id = ${id}`)
    const lock = findSingle(FactorRow, (id: UserId) => sql`select ${columns} from users where id = ${id} for update`)

    const cell = (id: UserId) => cellOf("users.totp_sealed", id)
    const unsealed = (id: UserId, sealed: string) =>
      Effect.map(vault.unseal(cell(id), sealed), (text) => new Uint8Array(Buffer.from(text, "base64")))

    /** Checks a code of the authenticator app and marks it as used, so that it works only once. Locks the user's row. */
    const useAppCode = Effect.fn("SecondFactors.useAppCode")(function*(id: UserId, code: string) {
      const { lastStep, sealed } = yield* lock(id)
      if (sealed === null) return false
      const now = yield* Clock.currentTimeMillis
      const step = matchingStep(yield* unsealed(id, sealed), code, now, lastStep)
      if (Option.isNone(step)) return false
      yield* sql`update users set totp_last_step = ${step.value} where id = ${id}`
      return true
    })

    const useRecoveryCode = (id: UserId, code: string) => {
      const canonical = canonicalRecoveryCode(code)
      return canonical === null ? Effect.succeed(false) : exists(atNow((now) =>
        sql`
        update recovery_codes set used_at = ${now}
        where user_id = ${id} and hash = ${tokenHash(canonical)} and used_at is null returning hash`
      ))
    }

    /** Replaces all recovery codes with ten new ones. */
    const replaceCodes = Effect.fn("SecondFactors.replaceCodes")(function*(id: UserId) {
      const codes = yield* Effect.sync(() =>
        Array.from({ length: recoveryCodeCount }, () => recoveryCodeOf(randomBytes(recoveryCodeBytes)))
      )
      const hashes = codes.map((code) => tokenHash(canonicalRecoveryCode(code) ?? code))
      yield* sql`delete from recovery_codes where user_id = ${id}`
      yield* sql`insert into recovery_codes (user_id, hash) select ${id}, hash from unnest(${hashes}::bytea[]) as fresh (hash)`
      return codes
    })

    return {
      /** Whether it is enabled, since when, and how many recovery codes are left. */
      state: (id: UserId) =>
        Effect.map(read(id), ({ codesLeft, enabledAt }) => ({
          enabled: enabledAt !== null,
          enabledAt,
          recoveryCodesLeft: enabledAt === null ? 0 : codesLeft
        })),
      /** Stores a new secret that `enable` activates. None when the second factor is already enabled. */
      begin: Effect.fn("SecondFactors.begin")(function*(id: UserId) {
        const secret = yield* Effect.sync(() => new Uint8Array(randomBytes(secretLength)))
        const sealed = yield* vault.seal(cell(id), Buffer.from(secret).toString("base64"))
        const begun = yield* sql`
          update users set totp_sealed = ${sealed}, totp_last_step = null where id = ${id} and totp_enabled_at is null
          returning id`
        return begun.length === 0 ? Option.none() : Option.some(secret)
      }, Effect.orDie),
      /** The secret that is being set up; none when there is none. */
      pending: Effect.fn("SecondFactors.pending")(function*(id: UserId) {
        const { enabledAt, sealed } = yield* read(id)
        return sealed === null || enabledAt !== null ? Option.none() : Option.some(yield* unsealed(id, sealed))
      }, Effect.orDie),
      /** Activates the stored secret if the app's code is correct. Returns the recovery codes, which are shown only once. */
      enable: Effect.fn("SecondFactors.enable")(function*(id: UserId, code: string) {
        if ((yield* lock(id)).enabledAt !== null || !(yield* useAppCode(id, code))) return Option.none()
        yield* sql`update users set totp_enabled_at = ${DateTime.toDateUtc(yield* DateTime.now)} where id = ${id}`
        return Option.some(yield* replaceCodes(id))
      }, inTransaction(sql)),
      /** Checks a code of the app or a recovery code, and marks it as used. */
      pass: Effect.fn("SecondFactors.pass")(function*(id: UserId, code: string) {
        if ((yield* lock(id)).enabledAt === null) return false
        return (yield* useAppCode(id, code)) || (yield* useRecoveryCode(id, code))
      }, inTransaction(sql)),
      disable: Effect.fn("SecondFactors.disable")(function*(id: UserId) {
        yield* sql`
        update users set totp_sealed = null, totp_enabled_at = null, totp_last_step = null where id = ${id}`
        yield* sql`delete from recovery_codes where user_id = ${id}`
      }, inTransaction(sql)),
      replaceCodes: (id: UserId) => inTransaction(sql)(replaceCodes(id))
    }
  })
}) {}
