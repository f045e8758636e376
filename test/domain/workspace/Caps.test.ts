/** Caps: what they refuse, how the refusal reads, and how the operator changes them. */
import { expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Struct } from "effect"
import { capOf, capRefusal, defaultCaps, parseCaps } from "../../../src/domain/workspace/Caps.ts"

const name = fc.constantFrom(...Struct.keys(defaultCaps))
const amount = fc.nat(2_000)

it.prop("a change above a cap is refused, and only if it asks for more", [name, fc.boolean(), amount, amount], ([
  resource,
  claimed,
  had,
  wanted
]) => {
  const cap = capOf(defaultCaps[resource], claimed)
  const refused = capRefusal(defaultCaps, claimed, { name: resource, had, wanted }) !== null
  expect(refused).toBe(cap !== null && wanted > had && wanted > cap)
})

it.prop("an unclaimed workspace never has a larger cap than a claimed one", [name], ([resource]) => {
  expect(capOf(defaultCaps[resource], false) ?? Infinity).toBeLessThanOrEqual(capOf(defaultCaps[resource], true) ?? Infinity)
})

it("the message names the cap, and the hint says what to do", () => {
  const at = (claimed: boolean) => capRefusal(defaultCaps, claimed, { name: "channels", had: 500, wanted: 501 })
  expect(at(true)).toMatchObject({
    message: "A workspace can have at most 500 alert channels",
    hint: "Delete what you no longer need, then try again"
  })
  expect(at(false)?.message).toBe("An unclaimed workspace can have at most 50 alert channels")
  expect(at(false)?.hint).toContain("claimUrl")
  expect(capRefusal(defaultCaps, true, { name: "components", had: 500, wanted: 501 })?.message)
    .toBe("A page can have at most 500 components")
})

it("the setting changes single caps; 0 is unlimited; a wrong item is named", () => {
  const caps = Either.getOrThrow(parseCaps(["channels=1000", "unclaimed.pages=5", "keys=0"]))
  expect([caps.channels, caps.pages, caps.keys]).toEqual([
    { most: 1000, unclaimed: 50 },
    { most: 200, unclaimed: 5 },
    { most: null, unclaimed: null }
  ])
  expect(caps.schedules).toEqual(defaultCaps.schedules)
  for (const wrong of ["channel=5", "channels", "channels=-1", "toString=5", "unclaimed.=5"]) {
    expect(Either.getOrThrow(Either.flip(parseCaps(["pages=1", wrong])))).toContain(`"${wrong}"`)
  }
})
