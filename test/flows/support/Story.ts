/** A story of people with browsers in front of the demo, and their calls of the interface beside it. */
import { expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../../support/program/TestServer.ts"
import { DemoBrowser, type Watched } from "./DemoBrowser.ts"

/** Stories that share one demo. */
export type Stories = (it: Vitest.MethodsNonLive<DemoBrowser, true>) => void

/** Closes with the story what it opened: every page that stays open follows the demo, and the next stories share the processor. */
export const story = (tell: (scene: DemoBrowser["Type"]) => Promise<void>) =>
  Effect.flatMap(DemoBrowser, (scene) =>
    Effect.acquireUseRelease(
      Effect.sync((): Array<Watched> => []),
      (opened) =>
        Effect.promise(() =>
          tell({
            ...scene,
            open: async (options) => {
              const watched = await scene.open(options)
              opened.push(watched)
              return watched
            }
          })
        ),
      (opened) => Effect.promise(() => Promise.all(opened.map(({ page }) => page.context().close())))
    ))

/** Calls the interface as the person of the page. */
export const call = async ({ page }: Watched, method: string, path: string, data?: object): Promise<Json> => {
  const { origin } = new URL(page.url())
  const answer = await page.request.fetch(`/api/v1${path}`, {
    method,
    headers: { origin },
    ...(data === undefined ? {} : { data })
  })
  expect([`${method} ${path}`, answer.ok()]).toEqual([`${method} ${path}`, true])
  return answer.json()
}
