import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { ProbeTokenId } from "../../../schema/Ids.ts"
import {
  enrolmentRequest,
  hasToken,
  openAnswer,
  openNews,
  readToken,
  sealAnswer,
  sealNews,
  tokenSecret,
  tokenText
} from "../../../src/domain/probe/Enrolment.ts"
import { isSignature, signatureOf } from "../../../src/domain/probe/MessageSignature.ts"
import { linkToProbe, linkToServers, publicKeyOf } from "../../../src/domain/probe/ProbeLink.ts"
import { regionKeyOf, withKey } from "../../../src/domain/probe/RegionKeys.ts"
import { epochOf, isProof, openForRegion, regionProof, sealForRegion } from "../../../src/domain/probe/RegionSeal.ts"
import { framed, openBytes, sealBytes } from "../../../src/domain/tools/SealedBytes.ts"

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const key = bytes(32)
const nonce = bytes(12)
const text = fc.string({ unit: "grapheme" })
const region = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,8}$/).map((id) => RegionId.make(id))

/** The bytes with one bit changed. */
const flipped = (given: Uint8Array, at: number): Buffer => {
  const changed = Buffer.from(given)
  const bit = at % (changed.length * 8)
  const index = bit >> 3
  changed[index] = (changed[index] ?? 0) ^ (1 << (bit & 7))
  return changed
}

const holds = <T extends [unknown, ...Array<unknown>]>(...args: Parameters<typeof fc.property<T>>) =>
  fc.assert(fc.property<T>(...args), { numRuns: 60 })

describe("a link", () => {
  it("gives both ends the same keys, and others other ones", () => {
    holds(key, key, key, (installation, probe, other) => {
      const ours = linkToProbe(installation, publicKeyOf(probe))
      const theirs = linkToServers(probe, publicKeyOf(installation))
      expect(theirs?.sealing).toEqual(ours?.sealing)
      expect(theirs?.signing.export()).toEqual(ours?.signing.export())
      expect(Buffer.from(ours?.sealing ?? []).equals(ours?.signing.export() ?? Buffer.alloc(0))).toBe(false)
      fc.pre(!Buffer.from(other).equals(probe))
      expect(linkToServers(other, publicKeyOf(installation))?.sealing).not.toEqual(ours?.sealing)
    })
  })

  it("refuses public keys with which every secret would be the same, and those that are none", () => {
    const installation = new Uint8Array(32).fill(9)
    expect(linkToProbe(installation, new Uint8Array(32))).toBeNull()
    expect(linkToProbe(installation, Uint8Array.from([1, ...new Uint8Array(31)]))).toBeNull()
    expect(linkToProbe(installation, new Uint8Array(31).fill(3))).toBeNull()
  })
})

describe("sealed bytes", () => {
  it("open with the key and the subject that they were sealed with, and not after any bit was changed", () => {
    holds(key, nonce, text, text, fc.nat(), (sealing, fresh, about, plain, at) => {
      const subject = framed(about)
      const sealed = sealBytes(sealing, fresh, subject, plain)
      expect(openBytes(sealing, subject, sealed)?.toString()).toBe(plain)
      expect(openBytes(sealing, subject, flipped(sealed, at))).toBeNull()
      expect(openBytes(flipped(sealing, at), subject, sealed)).toBeNull()
      expect(openBytes(sealing, framed(about, ""), sealed)).toBeNull()
      expect(openBytes(sealing, subject, sealed.subarray(0, at % sealed.length))).toBeNull()
    })
  })

  it("have subjects that no other parts give", () => {
    holds(fc.array(text, { maxLength: 4 }), fc.array(text, { maxLength: 4 }), (some, others) => {
      expect(framed(...some).equals(framed(...others))).toBe(JSON.stringify(some) === JSON.stringify(others))
    })
  })
})

describe("the signature of a message", () => {
  it("holds for its kind, key and text, and for nothing that differs in a bit", () => {
    holds(key, text, text, fc.nat(), (secret, name, body, at) => {
      const signing = linkToProbe(secret, publicKeyOf(new Uint8Array(32).fill(4)))!.signing
      const [messageKey, value] = [Buffer.from(name), Buffer.from(`${body}.`)]
      const given = signatureOf(signing, "result", messageKey, value)
      expect(isSignature(signing, "result", messageKey, value, given)).toBe(true)
      expect(isSignature(signing, "reply", messageKey, value, given)).toBe(false)
      expect(isSignature(signing, "result", messageKey, flipped(value, at), given)).toBe(false)
      expect(isSignature(signing, "result", messageKey, value, flipped(given, at))).toBe(false)
      // The end of the key moved to the text.
      const moved = Buffer.concat([messageKey, value])
      expect(isSignature(signing, "result", moved.subarray(0, -1), moved.subarray(-1), given)).toBe(value.length === 1)
    })
  })
})

describe("a message to a region", () => {
  it("opens with the key of its region and epoch, under its own key, and not after any bit was changed", () => {
    holds(key, nonce, region, text, text, fc.nat(), (installation, fresh, own, messageKey, plain, at) => {
      const regionKey = regionKeyOf(installation, own, 3)
      const sealed = sealForRegion("assignment", regionKey, messageKey, fresh, plain)
      expect(openForRegion("assignment", regionKey, messageKey, sealed)?.toString()).toBe(plain)
      expect(epochOf(sealed)).toBe(3)
      expect(openForRegion("request", regionKey, messageKey, sealed)).toBeNull()
      expect(openForRegion("assignment", regionKey, `${messageKey}.`, sealed)).toBeNull()
      expect(openForRegion("assignment", regionKey, messageKey, flipped(sealed, at))).toBeNull()
      const other = regionKeyOf(installation, RegionId.make(`${own}x`), 3)
      expect(openForRegion("assignment", other, messageKey, sealed)).toBeNull()
      const next = regionKeyOf(installation, own, 4)
      expect(openForRegion("assignment", next, messageKey, sealed)).toBeNull()
      expect(openForRegion("assignment", { ...next, epoch: 3 }, messageKey, sealed)).toBeNull()
    })
  })

  it("may be a proof, which holds for its kind and text only", () => {
    holds(key, region, text, (installation, own, said) => {
      const regionKey = regionKeyOf(installation, own, 1)
      const proof = regionProof(regionKey, "time", said)
      expect(isProof(regionKey, "time", said, proof)).toBe(true)
      expect(isProof(regionKey, "gone", said, proof)).toBe(false)
      expect(isProof(regionKey, "time", `${said}0`, proof)).toBe(false)
      expect(isProof(regionKeyOf(installation, own, 2), "time", said, proof)).toBe(false)
      expect(isProof(regionKey, "time", said, "")).toBe(false)
    })
  })

  it("of an earlier epoch can still be opened by a probe that has had its key", () => {
    const [own, installation] = [RegionId.make("eu"), new Uint8Array(32).fill(1)]
    const keys = [1, 2, 4, 3, 4].reduce(
      (known: ReturnType<typeof withKey>, epoch) => withKey(known, regionKeyOf(installation, own, epoch)),
      []
    )
    expect(keys.map(({ epoch }) => epoch)).toEqual([4, 3, 2])
  })
})

describe("an enrolment", () => {
  const id = ProbeTokenId.make("prt_01k9x2m4q8e7s9v3bthn5wza6c")

  it("shows that its sender has the token of this installation, for one public key", () => {
    holds(key, key, fc.nat(), (installation, probe, at) => {
      const token = { id, secret: tokenSecret(installation, id), installation: publicKeyOf(installation) }
      expect(readToken(` ${tokenText(token)}\n`)).toEqual({
        id,
        secret: Buffer.from(token.secret),
        installation: token.installation
      })
      const request = enrolmentRequest(token, publicKeyOf(probe), "1.0.0")
      expect(hasToken(installation, request)).toBe(true)
      const others = [
        { ...request, token: ProbeTokenId.make(`${id.slice(0, -1)}d`) },
        { ...request, publicKey: flipped(publicKeyOf(probe), at).toString("base64url") },
        { ...request, version: "1.0.1" },
        { ...request, proof: flipped(Buffer.from(request.proof, "base64url"), at).toString("base64url") }
      ]
      for (const other of others) expect(hasToken(installation, other)).toBe(false)
      expect(JSON.stringify(request)).not.toContain(Buffer.from(token.secret).toString("base64url"))
      expect(JSON.stringify(request)).not.toContain(Buffer.from(probe).toString("base64url"))
    })
  })

  it("is answered to its probe alone, and news are no answer", () => {
    holds(key, key, nonce, text, (installation, probe, fresh, said) => {
      const link = linkToProbe(installation, publicKeyOf(probe))!
      const own = linkToServers(probe, publicKeyOf(installation))!
      const answer = sealAnswer(link, fresh, said)
      expect(openAnswer(own, answer)).toBe(said)
      expect(openNews(own, answer)).toBeNull()
      expect(openNews(own, sealNews(link, fresh, said))).toBe(said)
      const other = linkToServers(new Uint8Array(32).fill(200), publicKeyOf(installation))!
      expect(openAnswer(other, answer)).toBeNull()
    })
  })

  it("needs a token that is one", () => {
    for (const given of ["", "prt_1", "prt_1.x.y", `prt_1.${"a".repeat(43)}`, `key_1.${"a".repeat(43)}.${"b".repeat(43)}`]) {
      expect(readToken(given)).toBeNull()
    }
  })
})
