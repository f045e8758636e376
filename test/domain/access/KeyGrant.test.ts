/** The permissions of a new key; a delegated key never exceeds its parent. */
import { Arbitrary, DateTime, Either, FastCheck as fc, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { ApiKeyInput } from "../../../schema/access/ApiKey.ts"
import { ApiKeyId } from "../../../schema/Ids.ts"
import type { Scope } from "../../../schema/workspace/Workspace.ts"
import { grantKey, type Grantor } from "../../../src/domain/access/KeyGrant.ts"

const known = [
  { id: "list_monitors", scope: "read" },
  { id: "create_monitor", scope: "write" },
  { id: "run_check", scope: "write" },
  { id: "create_api_key", scope: "write" },
  { id: "list_plans", scope: "public" }
] as const

const now = DateTime.unsafeMake("2026-11-20T08:00:00Z")

const agent: Grantor = { id: ApiKeyId.make("key_agent"), scopes: ["read", "write"], operations: null, expiresAt: null }

const grant = (input: Omit<ApiKeyInput, "name">, grantor: Grantor | null = agent) =>
  grantKey({ name: "helper", ...input }, grantor, known, now)

const refusals = (input: Omit<ApiKeyInput, "name">, grantor: Grantor | null = agent) =>
  Either.match(grant(input, grantor), { onLeft: (found) => found.map(({ message, path }) => [path, message]), onRight: () => [] })

const operation = fc.constantFrom(...known.map(({ id }) => id), "unheard_of")

const operations = fc.option(fc.array(operation, { minLength: 1, maxLength: 4 }), { nil: null })

const grantor = fc.record({
  id: fc.constant(agent.id),
  scopes: fc.constantFrom<ReadonlyArray<Scope>>(["read"], ["write"], ["read", "write"]),
  operations,
  expiresAt: fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: null })
    .map((minutes) => (minutes === null ? null : DateTime.add(now, { minutes })))
})

const input = fc.tuple(
  Arbitrary.make(Schema.typeSchema(ApiKeyInput.pipe(Schema.omit("operations")))),
  operations
).map(([fields, list]): ApiKeyInput => ({ ...fields, ...(list === null ? {} : { operations: list }) }))

describe("a granted key", () => {
  it("never has more scopes than the key that requested it", () => {
    fc.assert(fc.property(input, grantor, (asked, by) => {
      const granted = grantKey(asked, by, known, now)
      if (Either.isLeft(granted)) return
      expect(by.scopes.includes("write") || !granted.right.scopes.includes("write")).toBe(true)
    }))
  })

  it("of a restricted key is its child and has at most its operations", () => {
    fc.assert(fc.property(input, grantor, (asked, by) => {
      const granted = grantKey(asked, by, known, now)
      if (Either.isLeft(granted) || by.operations === null) return
      expect(granted.right.parentId).toBe(by.id)
      expect(by.operations).toEqual(expect.arrayContaining([...granted.right.operations ?? ["all"]]))
    }))
  })

  it("when delegated, expires no later than its parent and cannot create keys", () => {
    fc.assert(fc.property(input, grantor, (asked, by) => {
      const granted = grantKey(asked, by, known, now)
      if (Either.isLeft(granted) || granted.right.parentId === null) return
      const { expiresAt, operations } = granted.right
      expect(expiresAt).not.toBeNull()
      if (expiresAt !== null && by.expiresAt !== null) expect(DateTime.lessThanOrEqualTo(expiresAt, by.expiresAt)).toBe(true)
      expect(operations ?? []).not.toContain("create_api_key")
    }))
  })

  it("never outlives the key that requested it, delegated or not", () => {
    fc.assert(fc.property(input, grantor, (asked, by) => {
      const granted = grantKey(asked, by, known, now)
      if (Either.isLeft(granted) || by.expiresAt === null) return
      const { expiresAt } = granted.right
      expect(expiresAt !== null && DateTime.lessThanOrEqualTo(expiresAt, by.expiresAt)).toBe(true)
    }))
  })

  it("has full permissions when requested without an expiry in minutes or a list of operations", () => {
    expect(grant({ expiresInDays: 90 })).toEqual(Either.right({
      createdAt: now,
      scopes: ["read", "write"],
      operations: null,
      expiresAt: DateTime.add(now, { days: 90 }),
      parentId: null
    }))
    expect(grant({ scopes: ["read"] })).toEqual(Either.right({
      createdAt: now,
      scopes: ["read"],
      operations: null,
      expiresAt: null,
      parentId: null
    }))
  })

  it("has the scopes that its operations need", () => {
    expect(grant({ operations: ["list_monitors"], expiresInMinutes: 5 })).toMatchObject({ right: { scopes: ["read"] } })
    expect(grant({ operations: ["run_check"], expiresInMinutes: 5 })).toMatchObject({ right: { scopes: ["read", "write"] } })
    expect(grant({ scopes: ["write"] })).toMatchObject({ right: { scopes: ["read", "write"] } })
  })

  it("of a person may be restricted without an expiry, and has no parent", () => {
    expect(grant({ operations: ["run_check"] }, null)).toMatchObject({ right: { parentId: null, expiresAt: null } })
  })

  it("is rejected with every reason, each at its field", () => {
    expect(refusals({ operations: ["creat_monitor"], expiresInMinutes: 5 })).toEqual([
      ["operations.0", "Unknown operation creat_monitor; did you mean create_monitor?"]
    ])
    expect(refusals({ operations: ["run_check"], scopes: ["read"] })).toEqual([
      ["expiresInMinutes", "Delegated keys require expiresInMinutes or expiresInDays"],
      ["operations.0", "run_check requires the write scope"]
    ])
    expect(refusals({ expiresInDays: 1, expiresInMinutes: 1 })).toEqual([
      ["expiresInMinutes", "Give expiresInDays or expiresInMinutes, not both"]
    ])
    expect(refusals({ operations: ["create_monitor"], expiresInDays: 1 }, { ...agent, operations: ["run_check"] })).toEqual([
      ["operations.0", "The calling key cannot call create_monitor"]
    ])
    expect(refusals({ operations: ["create_api_key"], expiresInDays: 1 })).toEqual([
      ["operations.0", "Delegated keys cannot create keys"]
    ])
  })

  it("is refused with at most 50 reasons", () => {
    const unheardOf = Array.from({ length: 200 }, (_, index) => `unheard_of_${index}`)
    expect(refusals({ operations: unheardOf, expiresInMinutes: 5 })).toHaveLength(50)
  })
})
