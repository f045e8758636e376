/** Caches the rendered forms of each snapshot for as long as the snapshot itself is in memory. */
import { Effect } from "effect"
import type { Snapshot } from "../domain/page/Snapshot.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { makePageView, type PageView } from "./PageView.ts"

export class PageViews extends Effect.Service<PageViews>()("belltower/PageViews", {
  effect: Effect.map(BaseUrl, (baseUrl) => {
    const views = new WeakMap<Snapshot, PageView>()
    return {
      /** The view of a snapshot, shared by the HTML status page and the JSON public status. */
      of: (snapshot: Snapshot): PageView => {
        const known = views.get(snapshot)
        if (known !== undefined) return known
        const view = makePageView(snapshot, baseUrl)
        views.set(snapshot, view)
        return view
      }
    }
  })
}) {}
