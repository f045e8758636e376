/** Web push against a local push service that checks the signature and opens what was sealed for its devices. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Either, Layer } from "effect"
import { ChannelId, EventId, PagingId, WorkspaceId } from "../../../schema/Ids.ts"
import { judge } from "../../../src/domain/alert/DeliveryVerdict.ts"
import { parseAllowList } from "../../../src/domain/check/address/Egress.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { PushKeys } from "../../../src/notify/way/PushKeys.ts"
import { push } from "../../../src/notify/way/ways/push.ts"
import { type Device, pushService } from "../../support/services/PushService.ts"
import { vapid } from "../../support/services/Vapid.ts"
import { loopback } from "../alert/Receiver.ts"

const services = Layer.merge(EgressGuard.Default({ allow: loopback }), Layer.succeed(PushKeys, vapid))

const startedAt = DateTime.unsafeMake("2026-11-20T03:00:00Z")

const page = push.compose({
  _tag: "Page",
  pagingId: PagingId.make("pgn_1"),
  urgency: "high",
  title: "Checkout is down",
  text: "You are paged about it.",
  startedAt,
  incidentLink: "https://belltower.test/app/incidents/inc_1",
  acknowledgeLink: "https://belltower.test/ack/token",
  acknowledgeToken: "token"
})

const send = (device: Device, body = page) =>
  Effect.map(
    push.send({
      eventId: EventId.make("evt_1"),
      workspaceId: WorkspaceId.make("ws_1"),
      channelId: ChannelId.make("way_1"),
      body,
      signing: [],
      timeoutMs: 5000
    }, device),
    (answer) => judge(answer, 1, startedAt)
  )

describe("web push", () => {
  it.scoped("hands a page over that only the device can read, signed for its push service, urgent and for an hour", () =>
    Effect.gen(function*() {
      const { seen, subscribe } = yield* pushService()
      expect(yield* send(subscribe("phone"))).toMatchObject({ _tag: "Delivered", statusCode: 201 })
      const [one] = seen
      expect(JSON.parse(one?.data ?? "")).toEqual({
        kind: "page",
        title: "Checkout is down",
        body: "You are paged about it.",
        at: "2026-11-20T03:00:00.000Z",
        tag: "https://belltower.test/app/incidents/inc_1",
        url: "https://belltower.test/app/incidents/inc_1",
        acknowledge: "https://belltower.test/ack/token"
      })
      expect(one?.headers).toMatchObject({ ttl: "3600", urgency: "high", "content-encoding": "aes128gcm" })
    }).pipe(Effect.provide(services)))

  it.scoped("ends a device that has unsubscribed, and tries again after a busy answer", () =>
    Effect.gen(function*() {
      const { end, subscribe } = yield* pushService((device) => (device === "busy" ? 429 : null))
      const [gone, busy] = [subscribe("gone"), subscribe("busy")]
      end("gone")
      expect(yield* send(gone)).toMatchObject({ _tag: "Dead", statusCode: 404, isProblem: true })
      expect(yield* send(busy)).toMatchObject({ _tag: "Again", statusCode: 429 })
      const refused = yield* send({ ...subscribe("other"), endpoint: "http://127.0.0.1:1/secret-of-the-device" })
      expect(refused._tag).toBe("Again")
      expect(JSON.stringify(refused)).not.toContain("secret-of-the-device")
    }).pipe(Effect.provide(services)))

  it.scoped("is not sent without keys, or to an address that is closed to the workspace", () =>
    Effect.gen(function*() {
      const { seen, subscribe } = yield* pushService()
      const device = subscribe("phone")
      expect(yield* Effect.provideService(send(device), PushKeys, null)).toMatchObject({ _tag: "Dead" })
      const closed = EgressGuard.Default({ allow: Either.getOrThrow(parseAllowList("192.0.2.0/24")) })
      expect(yield* Effect.provide(send(device), closed)).toMatchObject({ _tag: "Dead" })
      expect(seen).toEqual([])
    }).pipe(Effect.provide(services)))
})
