import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { probeLines } from "../../../src/domain/probe/ProbeList.ts"
import { readTokenWish } from "../../../src/domain/probe/TokenWish.ts"
import { usageOf } from "../../../src/domain/program/CommandHelp.ts"

describe("the words after probe-token", () => {
  it("name a region, and how often and how long the token is good: once, for a day", () => {
    expect(readTokenWish(["eu"])).toEqual(Either.right({ region: "eu", uses: 1, days: 1 }))
    expect(readTokenWish(["eu", "--days", "30", "--uses", "12"])).toEqual(Either.right({ region: "eu", uses: 12, days: 30 }))
  })

  it.each([[], ["eu", "--uses"], ["eu", "--uses", "0"], ["eu", "--uses", "1e3"], ["eu", "--days", "366"], ["eu", "us"]])(
    "are refused with the usage: %s %s %s",
    (...words) => {
      expect(Either.getOrElse(readTokenWish(words), (why) => why)).toContain(usageOf("probe-token"))
    }
  )

  it("name a region that can be one", () => {
    expect(Either.getOrElse(readTokenWish(["EU west"]), (why) => why)).toContain("\"EU west\" is not the name of a region")
  })
})

describe("the list of probes", () => {
  it("has columns, and says who is heard, silent or revoked", () => {
    const now = 1_800_000_000_000
    const probe = (id: string, ageSec: number, isRevoked = false) => ({
      id,
      region: "eu",
      version: "1.0.0",
      lastSeenAt: now - ageSec * 1000,
      isRevoked
    })
    expect(probeLines([probe("prb_1", 12), probe("prb_20", 600), probe("prb_3", 90_000, true)], now)).toEqual([
      "id      region  state    last seen   version",
      "prb_1   eu      active   12 s ago    1.0.0",
      "prb_20  eu      silent   10 min ago  1.0.0",
      "prb_3   eu      revoked  25 h ago    1.0.0"
    ])
  })
})
