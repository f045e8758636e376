import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { Webhook } from "standardwebhooks"
import { makeSecret, rotate, rotationOverlapMs, signedHeaders } from "../../../src/domain/alert/Signature.ts"

const random = FastCheck.uint8Array({ minLength: 24, maxLength: 32 })

/** The verifier compares timestamps with the real clock. */
const realNow = () => new Date().getTime()

describe("webhook signatures", () => {
  it.prop("are accepted by the Standard Webhooks library, whatever the body", [random, FastCheck.json(), FastCheck.string()], ([
    bytes,
    json,
    text
  ]) => {
    const secret = makeSecret(bytes)
    const body = JSON.stringify({ json, text })
    const headers = signedHeaders([{ secret, until: null }], { id: "evt_1", body }, realNow())
    new Webhook(secret).verify(body, { ...headers })
  })

  it.prop("are rejected for another body", [random, FastCheck.string(), FastCheck.string()], ([bytes, one, other]) => {
    FastCheck.pre(one !== other)
    const secret = makeSecret(bytes)
    const headers = signedHeaders([{ secret, until: null }], { id: "evt_1", body: one }, realNow())
    expect(() => new Webhook(secret).verify(other, { ...headers })).toThrow()
  })

  it("use the old and the new secret for a day after a rotation, then only the new one", () => {
    const [old, fresh] = [makeSecret(new Uint8Array(32).fill(1)), makeSecret(new Uint8Array(32).fill(2))]
    const now = realNow()
    const verifies = (secret: string, rotatedAt: number) => {
      const secrets = rotate([{ secret: old, until: null }], fresh, rotatedAt)
      const headers = signedHeaders(secrets, { id: "evt_1", body: "{}" }, now)
      try {
        new Webhook(secret).verify("{}", { ...headers })
        return true
      } catch {
        return false
      }
    }
    expect(verifies(old, now - rotationOverlapMs + 1)).toBe(true)
    expect(verifies(fresh, now - rotationOverlapMs + 1)).toBe(true)
    expect(verifies(old, now - rotationOverlapMs)).toBe(false)
    expect(verifies(fresh, now - rotationOverlapMs)).toBe(true)
  })

  it("stay few, however often the secret is rotated", () => {
    let secrets = [{ secret: "whsec_0", until: null as number | null }]
    for (let i = 1; i <= 20; i++) secrets = [...rotate(secrets, `whsec_${i}`, i)]
    expect(secrets.map(({ secret }) => secret)).toEqual(["whsec_20", "whsec_19", "whsec_18", "whsec_17"])
  })
})
