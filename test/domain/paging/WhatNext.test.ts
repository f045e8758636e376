/** Who is paged next, in words. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { ChannelId, IncidentId, PagingId, PolicyId, UserId } from "../../../schema/Ids.ts"
import type { IncidentPagings, Paging } from "../../../schema/oncall/Way.ts"
import { handOvers, lostHandOver, type TriedPage } from "../../../src/domain/paging/PersonalSteps.ts"
import { nothingNext, whatNext } from "../../../src/domain/paging/WhatNext.ts"

const now = DateTime.unsafeMake("2026-11-22T03:00:00Z")
const inMinutes = (minutes: number) => DateTime.add(now, { minutes })

const person = (name: string | null) => ({ id: UserId.make(`usr_${name ?? "x"}`), name, email: "x@example.com" })

const page = (name: string, by: Paging["by"], minutes: number, more: Partial<Paging> = {}): Paging => ({
  id: PagingId.make(`pgn_${name}${minutes}${by}`),
  incidentId: IncidentId.make("inc_1"),
  user: person(name),
  level: 1,
  round: 1,
  step: 1,
  urgency: "high",
  by,
  wayId: null,
  label: "Phone",
  state: "planned",
  error: null,
  dueAt: inMinutes(minutes),
  handedOverAt: null,
  receivedAt: null,
  ...more
})

const escalation = (minutes: number | null, channels = 0): IncidentPagings["escalation"] => ({
  policy: { id: PolicyId.make("pol_1"), name: "Platform" },
  levels: 2,
  next: {
    level: 2,
    round: 1,
    at: minutes === null ? null : inMinutes(minutes),
    people: [person("Ana")],
    channelIds: Array.from({ length: channels }, (_, index) => ChannelId.make(`ch_${index}`))
  }
})

const plain = (text: string) => text.replace(/[\u2068\u2069]/g, "")

const said = (of: Pick<IncidentPagings, "data" | "escalation">) =>
  whatNext(of).map(({ at, text }) => `${plain(text)} at ${DateTime.distance(now, at) / 60_000}`)

describe("what happens next", () => {
  it("are the planned pages and the next level, in the order of their times", () => {
    const data = [page("Ben", "push", 0, { state: "handed_over" }), page("Ben", "voice", 4), page("Ben", "sms", 2)]
    expect(said({ data, escalation: escalation(3, 1) })).toEqual([
      "Ben by text message at 2",
      "level 2: Ana and 1 channel at 3",
      "Ben by phone at 4"
    ])
  })

  it("names pages of the same time together, and each way once", () => {
    const data = [page("Ben", "voice", 4), page("Ana", "voice", 4), page("Ben", "voice", 4)]
    expect(said({ data, escalation: null })).toEqual(["Ben by phone and Ana by phone at 4"])
  })

  it("has no level while the incident is acknowledged or after the last one", () => {
    expect(said({ data: [], escalation: escalation(null) })).toEqual([])
    const over = escalation(1)
    expect(said({ data: [], escalation: over === null ? null : { ...over, next: null } })).toEqual([])
  })

  it("does not call paged whom no page reached", () => {
    const failed = page("Ben", "email", 0, { state: "failed" })
    expect(nothingNext({ data: [failed], escalation: escalation(null) })).toMatch(/^Every page to a person failed/)
    const data = [failed, page("Ben", "push", 0, { state: "handed_over" })]
    expect(nothingNext({ data, escalation: escalation(null) })).toMatch(/^Everybody/)
  })

  it("says why nobody follows", () => {
    expect(nothingNext({ data: [], escalation: null })).toBe("No escalation policy applies, so nobody is paged.")
    expect(nothingNext({ data: [], escalation: escalation(null) })).toMatch(/^Everybody of the escalation policy was paged/)
  })
})

const tried = (level: number, round: number, state: TriedPage["state"], followed = false): TriedPage => ({
  ...page("Ben", "push", 0),
  userId: "usr_ben",
  level,
  round,
  state,
  followed,
  captured: false
})

describe("a hand-over that reaches nobody", () => {
  it("is noticed once, of the last one only", () => {
    const failed = [tried(1, 1, "handed_over"), tried(0, 1, "failed", true), tried(0, 2, "failed")]
    expect(handOvers(failed)).toBe(2)
    expect(lostHandOver(failed)).toBe(true)
    expect(lostHandOver(failed.map((one) => ({ ...one, followed: true })))).toBe(false)
    expect(lostHandOver([...failed, tried(0, 2, "sending")])).toBe(false)
    expect(lostHandOver([tried(0, 1, "failed"), tried(0, 2, "handed_over")])).toBe(false)
    expect(lostHandOver([tried(1, 1, "failed")])).toBe(false)
  })
})
