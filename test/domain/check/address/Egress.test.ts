/** Which addresses are public, and how operators allow others. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import { isPublic, mayReach, parseAllowList } from "../../../../src/domain/check/address/Egress.ts"

const closed = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "168.63.129.16",
  "::ffff:168.63.129.16",
  "64:ff9b::a83f:8110",
  "199.36.153.8",
  "199.36.153.4",
  "2600:2d00:2:2000::1",
  "161.26.0.10",
  "166.9.14.1",
  "192.80.8.124",
  "100.100.100.200",
  "fd00:ec2::254",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:0:10.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::8.8.8.8",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:db8::1",
  "fc00::1",
  "fd00::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "100::1",
  "4000::1",
  "3fff::1",
  "5f00::1",
  "",
  "example.com",
  "1.2.3",
  "300.1.1.1"
]
const open = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.215.14",
  "172.32.0.1",
  "168.63.129.17",
  "199.36.154.1",
  "2606:4700::1111",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
  "2002:808:808::1"
]

describe("the public internet", () => {
  it.each(closed)("does not include %s", (address) => expect(isPublic(address)).toBe(false))
  it.each(open)("includes %s", (address) => expect(isPublic(address)).toBe(true))

  it("treats an IPv4 address and all its IPv6 forms alike", () => {
    fc.assert(fc.property(fc.ipV4(), (address) => {
      const hex = address.split(".").map((part) => Number(part).toString(16).padStart(2, "0")).join("").replace(/^(....)/, "$1:")
      for (const disguise of [`::ffff:${address}`, `64:ff9b::${address}`, `2002:${hex}::1`]) {
        expect([disguise, isPublic(disguise)]).toEqual([disguise, isPublic(address)])
      }
    }))
  })
})

describe("the allow list", () => {
  const allow = Either.getOrThrow(parseAllowList(" 10.0.0.0/8, 127.0.0.1 ,fd00::/8,"))

  it("allows its ranges and nothing else", () => {
    for (const address of ["10.1.2.3", "127.0.0.1", "fd12::1", "::ffff:10.1.2.3", "8.8.8.8"]) {
      expect([address, mayReach(allow, address)]).toEqual([address, true])
    }
    for (const address of ["127.0.0.2", "192.168.0.1", "fc00::1", "::1", "nonsense"]) {
      expect([address, mayReach(allow, address)]).toEqual([address, false])
    }
  })

  it.each(["10.0.0.0/33", "10/8", "example.com", "fd00::/200", "10.0.0.0/8/8", "0x7f.1"])(
    "names the wrong entry %s",
    (entry) =>
      expect(parseAllowList(`127.0.0.1, ${entry}`)).toEqual(
        Either.left(`"${entry}" is neither an IP address nor a range such as 10.0.0.0/8`)
      )
  )

  it("allows a cloud platform's address if the operator names it", () => {
    expect(mayReach(Either.getOrThrow(parseAllowList("168.63.129.16")), "168.63.129.16")).toBe(true)
  })

  it("may be empty", () => expect(parseAllowList("")).toEqual(Either.right([])))
})
