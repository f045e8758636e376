/** Laws of membership: nobody grants a role above their own, and the last owner stays. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Role } from "../../../schema/workspace/Workspace.ts"
import { inviteRefusal, removalRefusal, roleRefusal, type Standing } from "../../../src/domain/workspace/Membership.ts"

const role = fc.constantFrom(...Role.literals)
const standing: fc.Arbitrary<Standing> = fc.record({ role, status: fc.constantFrom("active", "invited") })
const owners = fc.integer({ min: 1, max: 5 })

describe("membership", () => {
  it("never loses its last owner, whoever asks", () => {
    fc.assert(fc.property(role, role, fc.boolean(), (caller, to, isSelf) => {
      const last: Standing = { role: "owner", status: "active" }
      assert.isNotNull(removalRefusal(caller, last, isSelf, 1))
      if (to !== "owner") assert.isNotNull(roleRefusal(caller, last, to, 1))
    }))
  })

  it("lets only owners add, change or remove owners", () => {
    fc.assert(fc.property(role, standing, role, owners, (caller, target, to, count) => {
      if (caller === "owner") return
      assert.strictEqual(inviteRefusal(caller, "owner")?._tag, "forbidden")
      if (to === "owner" || target.role === "owner") assert.strictEqual(roleRefusal(caller, target, to, count)?._tag, "forbidden")
      if (target.role === "owner") assert.strictEqual(removalRefusal(caller, target, false, count)?._tag, "forbidden")
    }))
  })

  it("lets everyone leave except the last owner, and only admins and above remove others", () => {
    fc.assert(fc.property(role, owners, (caller, count) => {
      const left = removalRefusal(caller, { role: caller, status: "active" }, true, count)
      assert.strictEqual(left?._tag, caller === "owner" && count === 1 ? "conflict" : undefined)
      if (caller === "member" || caller === "viewer") {
        assert.strictEqual(removalRefusal(caller, { role: "viewer", status: "active" }, false, count)?._tag, "forbidden")
      }
    }))
  })

  it("lets an owner withdraw the invitation of another owner", () => {
    assert.isNull(removalRefusal("owner", { role: "owner", status: "invited" }, false, 1))
  })
})
