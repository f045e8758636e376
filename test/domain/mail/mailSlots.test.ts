/** The slots of mails: bounded, all of use, and never all taken by mails that can wait. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  inFlight,
  mailPriorities,
  type MailPriority,
  type MailsInFlight,
  mailSlots,
  roomFor
} from "../../../src/domain/mail/MailSlots.ts"

const none = inFlight([])
const priority = fc.constantFrom(...mailPriorities)

/** A worker that takes mails and ends mails in any order, as far as there is room. */
const worker = fc.array(fc.record({ priority, ends: fc.boolean(), count: fc.nat(12) }), { maxLength: 60 }).map((moves) => {
  const held: Record<MailPriority, number> = { ...none }
  for (const { count, ends, priority } of moves) {
    held[priority] += ends ? -Math.min(held[priority], count) : Math.min(count, roomFor(priority, held))
  }
  return held
})

const total = (held: MailsInFlight) => held.urgent + held.standard + held.bulk

describe("the slots of mails", () => {
  it("are never more in use than there are", () => {
    fc.assert(fc.property(worker, (held) => {
      expect(total(held)).toBeLessThanOrEqual(mailSlots)
    }))
  })

  it("have room for a priority that has none in flight, whatever the others have: for pages half of all", () => {
    fc.assert(fc.property(worker, priority, (held, one) => {
      expect(roomFor(one, { ...held, [one]: 0 })).toBeGreaterThanOrEqual(one === "urgent" ? mailSlots / 2 : 1)
    }))
  })

  it("are most for pages", () => {
    expect(mailPriorities.map((one) => roomFor(one, none))).toEqual([8, 4, 4])
  })

  it("lose nothing when mails end", () => {
    fc.assert(fc.property(worker, priority, priority, (held, ended, one) => {
      const after = { ...held, [ended]: Math.max(0, held[ended] - 1) }
      expect(roomFor(one, after)).toBeGreaterThanOrEqual(roomFor(one, held))
    }))
  })
})
