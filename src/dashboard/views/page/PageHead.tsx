/** The page that a view is about, and the head of its views. */
import { Effect } from "effect"
import type { Page } from "../../../../schema/page/Page.ts"
import type { HeadProps } from "../../design/Parts.tsx"
import { read } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"

export const readPage = Effect.flatMap(Visit, ({ params }) => read("get_page", { pageId: params["id"] ?? "" }))

const tabs = {
  "": "Look",
  "/components": "Components",
  "/settings": "Settings",
  "/domain": "Domain",
  "/subscribers": "Subscribers"
}

export const pageHead = ({ id, name, slug, visibility }: Page, tab: keyof typeof tabs): HeadProps => ({
  title: name,
  crumbs: [["/app/pages", "Status pages"]],
  note: visibility === "private" ? "Private" : "Public",
  actions: <a class="button plain" href={`/s/${slug}`}>View the page</a>,
  tabs: {
    label: "Parts of the page",
    here: `/app/pages/${id}${tab}`,
    of: Object.entries(tabs).map(([path, name]) => [`/app/pages/${id}${path}`, name])
  }
})
