/** All status pages of the workspace. */
import { Effect } from "effect"
import type { ComponentCounts as Counts, ListedPage } from "../../../../schema/page/Page.ts"
import { counted } from "../../design/Counted.ts"
import { useMay } from "../../design/Form.tsx"
import { Badge, Empty, Head, Pager, Tag } from "../../design/Parts.tsx"
import { read } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"

const NewPage = () => useMay("create_page") ? <a class="button" href="/app/pages/new">New page</a> : null

const badStatuses = ["degraded", "partial_outage", "major_outage"] as const

/** The server counts: the records of all components would cost more than all else in the view. */
const PageState = ({ all, counts }: { readonly all: number; readonly counts: Counts }) => {
  const troubled = badStatuses.reduce((sum, status) => sum + counts[status], 0)
  return all === 0
    ? <Badge tone="none">No components</Badge>
    : troubled === 0
    ? <Badge tone="good">No trouble</Badge>
    : <Badge tone="bad">{troubled} of {all} in trouble</Badge>
}

const Row = ({ counts, page }: { readonly counts: Counts; readonly page: ListedPage }) => {
  const all = Object.values(counts).reduce((sum, some) => sum + some, 0)
  return (
    <li id={`page-${page.id}`}>
      <div>
        <a class="title" href={`/app/pages/${page.id}`}>{page.name}</a>
        <p class="note">
          <a href={`/s/${page.slug}`}>{page.url.replace(/^https?:\/\//, "")}</a>
          {all === 0 ? null : `, ${counted(all, "component")}`}
        </p>
      </div>
      <span class="buttons">
        {page.visibility === "private" ? <Tag>Private</Tag> : null}
        {page.customDomain !== null && page.domainVerifiedAt === null
          ? <a href={`/app/pages/${page.id}/domain`}>Domain not verified</a>
          : null}
        <PageState all={all} counts={counts} />
      </span>
    </li>
  )
}

const Pages = ({ next, pages }: { readonly pages: ReadonlyArray<ListedPage>; readonly next: string | null }) => (
  <>
    <Head title="Status pages" note="What your customers see.">
      <NewPage />
    </Head>
    <section class="panel">
      {pages.length === 0
        ? (
          <Empty
            title="No status page yet"
            text="A status page shows the state of your service and tells subscribers about incidents. It takes a name and a minute."
          >
            <NewPage />
          </Empty>
        )
        : <ul class="rows">{pages.map((page) => page.counts === undefined ? null : <Row counts={page.counts} page={page} />)}
        </ul>}
      {next === null ? null : <Pager said={counted(pages.length, "page")} previous={null} next={`/app/pages?after=${next}`} />}
    </section>
  </>
)

/** Pages per view: few, as it reads the status of all components. */
const pageSize = 10

export const pagesView = view(
  "/app/pages",
  "pages",
  Effect.gen(function*() {
    const { query } = yield* Visit
    const after = query.get("after")
    const { data, next } = yield* read("list_pages", {
      components: false,
      counts: true,
      limit: pageSize,
      ...(after === null ? {} : { after })
    })
    return {
      title: "Status pages",
      live: ["component.status_changed", "incident.*"],
      body: <Pages pages={data} next={next} />
    }
  })
)
