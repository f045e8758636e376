/** Renders the forms of each snapshot once and keeps them for as long as the snapshot itself is in memory. */
import { Deferred, Effect, FiberId, FiberSet } from "effect"
import type { Snapshot } from "../domain/page/Snapshot.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { overTurns } from "../loops/OverTurns.ts"
import { formKey, htmlForm, type PageForm, renderForm } from "./PageView.ts"
import { compressed, type WebDocument } from "./WebDocument.ts"

/** Forms rendered at the same time, since each in progress holds a whole page. */
const atOnce = 2

export class PageViews extends Effect.Service<PageViews>()("belltower/PageViews", {
  scoped: Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const run = yield* FiberSet.makeRuntime<never>()
    const permits = yield* Effect.makeSemaphore(atOnce)
    const forms = new WeakMap<Snapshot, Map<string, Deferred.Deferred<WebDocument>>>()

    const render = (snapshot: Snapshot, form: PageForm) =>
      permits.withPermits(1)(Effect.flatMap(overTurns(renderForm(snapshot, form, baseUrl)), compressed))

    /** The first visitor starts the rendering, and all wait for it; it goes on if that visitor leaves. */
    const of = (snapshot: Snapshot, form: PageForm): Effect.Effect<WebDocument> =>
      Effect.suspend(() => {
        const known = forms.get(snapshot) ?? new Map<string, Deferred.Deferred<WebDocument>>()
        forms.set(snapshot, known)
        const key = formKey(form)
        const before = known.get(key)
        if (before !== undefined) return Deferred.await(before)
        const rendered = Deferred.unsafeMake<WebDocument>(FiberId.none)
        known.set(key, rendered)
        const forget = Effect.sync(() => known.delete(key))
        run(Effect.intoDeferred(Effect.tapErrorCause(render(snapshot, form), () => forget), rendered))
        return Deferred.await(rendered)
      })

    return {
      /** The HTML page in the visitor's language. With `stale`, it warns that it may be out of date. */
      html: (snapshot: Snapshot, acceptLanguage: string | undefined, stale: boolean) =>
        of(snapshot, htmlForm(snapshot, acceptLanguage, stale)),
      /** The public status as JSON, with or without the daily history. */
      json: (snapshot: Snapshot, history: boolean) => of(snapshot, { _tag: "Json", history })
    }
  })
}) {}
