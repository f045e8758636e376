/** A stored password is never used with another server than the one that it was entered for. */
import { expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "fast-check"
import type { MailServerSettings } from "../../../schema/mail/MailServer.ts"
import { settleMailServer } from "../../../src/domain/mail/SettleMailServer.ts"

const place = fc.record({
  host: fc.constantFrom("a.example.com", "b.example.com"),
  port: fc.constantFrom(465, 587),
  tls: fc.constantFrom("implicit" as const, "starttls" as const, "none" as const),
  user: fc.constantFrom("ada", "bob")
})

const from = "bell@example.com"

it("keeps the stored password exactly for the same host, port, TLS mode and user", () => {
  fc.assert(fc.property(place, place, fc.constantFrom(undefined, null, "", "[hidden]"), (before, after, password) => {
    const stored: MailServerSettings = { ...before, password: "stored", from }
    const settled = settleMailServer({ ...after, ...(password === undefined ? {} : { password }) }, stored, from)
    const same = JSON.stringify(before) === JSON.stringify(after)
    expect(Either.isRight(settled)).toBe(same)
    if (Either.isRight(settled)) expect(settled.right.password).toBe("stored")
  }))
})

it("takes a typed password with any server, and none without a user", () => {
  fc.assert(fc.property(place, place, (before, after) => {
    const stored: MailServerSettings = { ...before, password: "stored", from }
    expect(settleMailServer({ ...after, password: "typed" }, stored, from)).toMatchObject({ right: { password: "typed", from } })
    expect(settleMailServer({ ...after, user: null }, stored, from)).toMatchObject({ right: { user: null, password: null } })
    expect(settleMailServer({ ...after, user: null, password: "typed" }, stored, from)).toMatchObject({ left: { path: "user" } })
  }))
})
