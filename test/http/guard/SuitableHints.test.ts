/** Hints name only what their caller may call. */
import { describe, expect, it } from "@effect/vitest"
import type { Caller } from "../../../schema/access/Caller.ts"
import { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import { namedIn, suitable } from "../../../src/http/guard/SuitableHints.ts"
import { operations } from "../../../src/http/openapi/Operations.ts"

const key: Caller = {
  workspaceId: WorkspaceId.make("ws_1"),
  principal: { _tag: "Key", keyId: ApiKeyId.make("key_1") },
  scopes: ["read"],
  role: "viewer",
  operations: null
}
const readOnly = ({ scope }: { readonly scope: string }) => scope !== "write"

describe("a hint", () => {
  it("is found to name each operation, by its id and by its request", () => {
    for (const { id, method, path, unlisted } of operations) {
      if (unlisted) continue
      expect(namedIn(`Try ${id} now`).map((one) => one.id)).toContain(id)
      const request = `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`
      expect([request, namedIn(`Try ${request}.`).map((one) => one.id)]).toEqual([request, [id]])
    }
  })

  it("keeps what the caller may do, and says whom to ask for the rest", () => {
    const hint = "List channels with GET /api/v1/channels. Create one with POST /api/v1/channels"
    expect(suitable(hint, key, () => true)).toBe(hint)
    const suited = suitable(hint, key, readOnly)
    expect(suited).toContain("List channels with GET /api/v1/channels.")
    expect(suited).not.toContain("POST /api/v1/channels")
    expect(suited).toContain("This key may not call create_channel")
  })
})
