/** The head and the tabs of the views of one status page. */
import type { ComponentChildren } from "preact"
import type { Page } from "../../../../schema/page/Page.ts"
import { Head, Tabs } from "../../design/Parts.tsx"

export type PageTab = "" | "/components" | "/settings" | "/domain" | "/subscribers"

export const PageFrame = ({ actions, children, page: { id, name, slug, visibility }, tab }: {
  readonly page: Page
  readonly tab: PageTab
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <>
    <Head
      title={name}
      crumbs={[["/app/pages", "Status pages"]]}
      note={visibility === "private" ? "Private" : "Public"}
    >
      {actions}
      <a class="button plain" href={`/s/${slug}`}>View the page</a>
    </Head>
    <Tabs
      label="Parts of the page"
      here={`/app/pages/${id}${tab}`}
      of={[
        [`/app/pages/${id}`, "Look"],
        [`/app/pages/${id}/components`, "Components"],
        [`/app/pages/${id}/settings`, "Settings"],
        [`/app/pages/${id}/domain`, "Domain"],
        [`/app/pages/${id}/subscribers`, "Subscribers"]
      ]}
    />
    {children}
  </>
)
