/** Whom the operations of a view take for their caller: the view authenticates once, and a form's calls each by themselves. */
import { HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SessionId, UserId, WorkspaceId } from "../../schema/Ids.ts"
import { DashboardApi } from "../../src/dashboard/frame/DashboardApi.ts"
import { Visit, type VisitData } from "../../src/dashboard/frame/Visit.ts"
import { Authenticated } from "../../src/http/guard/Authorization.ts"
import { memberCaller } from "../../src/operations/access/Authenticate.ts"

const userId = UserId.make("usr_00000000000000000000000001")
const sessionId = SessionId.make("ses_00000000000000000000000001")
const workspace = {
  id: WorkspaceId.make("ws_00000000000000000000000001"),
  name: "Acme",
  role: "viewer" as const,
  current: true
}
const identity = memberCaller({ sessionId, userId }, workspace)

const visit: VisitData = {
  person: { userId, sessionId, workspaceId: workspace.id, user: { id: userId, email: "ada@example.com", name: null } },
  workspace,
  workspaces: [workspace],
  caller: { surface: "dashboard", headers: { cookie: "belltower_session=x" }, remoteAddress: undefined, identity },
  baseUrl: "http://localhost",
  hasAi: false,
  url: "/app",
  params: {},
  query: new URLSearchParams(),
  zone: "UTC",
  locale: "en",
  theme: "system",
  now: DateTime.unsafeMake(0),
  submitted: null,
  formKey: "form",
  notice: null,
  capturesMail: false,
  calls: []
}

it.effect("a view's reads have its caller, and what a form sends is authenticated again", () =>
  Effect.gen(function*() {
    const seen: Array<unknown> = []
    const api = DashboardApi.make(Effect.gen(function*() {
      seen.push(yield* Authenticated)
      return HttpServerResponse.unsafeJson({ data: [], next: null })
    }))
    yield* Effect.provideService(api.read("list_channels"), Visit, visit)
    yield* Effect.provideService(api.send("create_channel", { name: "Mail" }), Visit, visit)
    expect(seen).toEqual([identity, null])
    expect(identity).toMatchObject({ scopes: ["read"], role: "viewer", operations: null })
    // Nothing outside such a call has it: requests from the network are authenticated by their credentials.
    expect(yield* Authenticated).toBeNull()
  }).pipe(Effect.provide(NodeHttpServer.layerContext)))
