/** Which targets tell a probe whether its own connection works. */
import { describe, expect, it } from "@effect/vitest"
import { makeUplinkReferences } from "../../../../src/domain/check/probe/UplinkReferences.ts"

const filled = (given: ReadonlyArray<readonly [item: string, host: string, address: string, workspaceId?: string]>) => {
  const references = makeUplinkReferences<string>()
  for (const [item, host, address, workspaceId = "ws_1"] of given) {
    references.answered(item, address, workspaceId, () => ({ host, port: 443 }))
  }
  return references
}

const hosts = (picked: ReadonlyArray<{ readonly host: string }>) => picked.map(({ host }) => host)

describe("the references", () => {
  it("are at least three with different domains in different networks, without the target in question", () => {
    const three = [["a", "a.test", "192.0.2.1"], ["b", "b.test", "198.51.100.1"], ["c", "c.test", "203.0.113.1"]] as const
    expect(hosts(filled(three).pick(null)).sort()).toEqual(["a.test", "b.test", "c.test"])
    expect(filled(three).pick("a")).toEqual([])
    expect(filled([...three.slice(0, 2), ["c", "c.test", "192.0.2.9"]]).pick(null)).toEqual([])
    expect(filled([...three.slice(0, 2), ["c", "www.b.test", "203.0.113.1"]]).pick(null)).toEqual([])
    expect(filled([["a", "a", "2001:db8:1::1"], ["b", "b", "2001:db8:1::2"], ["c", "c", "2001:db8:2::1"]]).pick(null)).toEqual([])
  })

  it("are no longer targets that stopped answering", () => {
    const references = filled(Array.from({ length: 4 }, (_, n) => [`${n}`, `${n}.test`, `192.0.${n}.1`] as const))
    references.remove("0")
    expect(hosts(references.pick(null)).sort()).toEqual(["1.test", "2.test", "3.test"])
    references.remove("1")
    expect(references.pick(null)).toEqual([])
  })

  it("are those of many workspaces, however many targets one of them has", () => {
    const many = Array.from({ length: 50 }, (_, n) => [`x${n}`, `x${n}.test`, `10.0.${n}.1`, "ws_many"] as const)
    const few = [["a", "a.test", "192.0.2.1", "ws_a"], ["b", "b.test", "198.51.100.1", "ws_b"]] as const
    const picked = hosts(filled([...many, ...few]).pick(null))
    expect(picked).toEqual(expect.arrayContaining(["a.test", "b.test"]))
    expect(picked.length).toBe(6)
  })

  it("are first those that nobody doubts", () => {
    const references = filled(
      Array.from({ length: 10 }, (_, n) => [`${n}`, `${n}.test`, `192.0.${n}.1`, `ws_${n}`] as const).slice(0, 8)
    )
    const doubtful = ["0", "1", "2", "3"]
    expect(hosts(references.pick(null, doubtful)).slice(0, 4)).toEqual(["4.test", "5.test", "6.test", "7.test"])
  })
})
