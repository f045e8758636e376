/** A workspace with a page and components, used through the public interface of the whole program. */
import { Effect } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { clientOf } from "../../flows/support/Client.ts"
import { newKey } from "../../support/program/TestServer.ts"
import type { Json } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"

export type { Json }

/** A client with its own workspace, a page named `Acme` and two components that only people set. */
export const newPage = Effect.gen(function*() {
  const { host, port } = yield* ServerAddress
  const { secret, workspaceId } = yield* newKey()
  const client = clientOf(`http://${host}:${port}`, secret)
  const page = (yield* client.post("/pages", { name: `Acme ${workspaceId.slice(-8)}` })).body
  const component = (name: string, more: object = {}) =>
    Effect.map(client.post(`/pages/${page.id}/components`, { name, ...more }), ({ body }) => body)
  const checkout = yield* component("Checkout")
  const search = yield* component("Search")
  /** The visitors' page, read until it matches: components follow incidents through their alarms. */
  const shown = (fits: (page: Json) => boolean) =>
    Effect.map(until(client.get(`/public/pages/${page.slug}`), ({ body }) => fits(body)), ({ body }) => body)
  const statusOf = (body: Json, name: string): string => body.components.find((one: Json) => one.name === name)?.status
  const events = (types: string) =>
    Effect.map(client.get(`/events?types=${types}`), ({ body }): ReadonlyArray<Json> => [...body.data].reverse())
  return { client, workspaceId, page, checkout, search, component, shown, statusOf, events }
})
