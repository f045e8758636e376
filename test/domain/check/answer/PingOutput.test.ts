/** The output of ping programs, as they print it. */
import { describe, expect, it } from "@effect/vitest"
import { readPing } from "../../../../src/domain/check/answer/PingOutput.ts"

describe("the report of a ping", () => {
  it("is read from iputils", () => {
    expect(readPing(`PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.
64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.045 ms

--- 127.0.0.1 ping statistics ---
1 packets transmitted, 1 received, 0% packet loss, time 0ms
rtt min/avg/max/mdev = 0.045/0.045/0.045/0.000 ms
`)).toEqual({ sent: 1, received: 1, firstMs: 0.045, refusal: null })
    expect(readPing(`PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.
From 10.0.0.1 icmp_seq=1 Destination Host Unreachable

--- 192.0.2.1 ping statistics ---
3 packets transmitted, 0 received, +1 errors, 100% packet loss, time 2031ms
`)).toEqual({ sent: 3, received: 0, firstMs: null, refusal: "Destination Host Unreachable" })
  })

  it("is read from busybox", () => {
    expect(readPing(`PING 127.0.0.1 (127.0.0.1): 56 data bytes
64 bytes from 127.0.0.1: seq=0 ttl=64 time=0.066 ms

--- 127.0.0.1 ping statistics ---
1 packets transmitted, 1 packets received, 0% packet loss
round-trip min/avg/max = 0.066/0.066/0.066 ms
`)).toEqual({ sent: 1, received: 1, firstMs: 0.066, refusal: null })
  })

  it("is empty for anything else", () => {
    expect(readPing("ping: socket: Operation not permitted")).toEqual({ sent: 0, received: 0, firstMs: null, refusal: null })
  })
})
