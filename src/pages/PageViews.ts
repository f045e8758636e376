/** The rendered forms of the snapshots that the process serves, each kept for as long as its snapshot is. */
import { Effect } from "effect"
import type { Snapshot } from "../domain/page/Snapshot.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { makePageView, type PageView } from "./PageView.ts"

export class PageViews extends Effect.Service<PageViews>()("belltower/PageViews", {
  effect: Effect.map(BaseUrl, (baseUrl) => {
    const views = new WeakMap<Snapshot, PageView>()
    return {
      /** The one view of a snapshot, which the status pages and the public status share. */
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
