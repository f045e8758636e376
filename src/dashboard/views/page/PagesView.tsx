/** All status pages of the workspace, and the form of a new one. */
import type { ComponentCounts as Counts, ListedPage } from "../../../../schema/page/Page.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { totalOf } from "../../design/Amounts.ts"
import { CallForm, Field, Submit } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Box, List, Pager, Tag } from "../../design/Parts.tsx"
import { read, view } from "../../frame/View.ts"
import { PageState } from "./PageState.tsx"
import { PresetChoice } from "./PresetChoice.tsx"

const NewPage = () => useMay("create_page") ? <a class="button" href="/app/pages/new">New page</a> : null

const Row = ({ counts, page }: { readonly counts: Counts; readonly page: ListedPage }) => {
  const all = totalOf(counts)
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
        <PageState counts={counts} />
      </span>
    </li>
  )
}

/** Pages per view: few, as it reads the status of all components. */
const pageSize = 10

export const pagesView = view("/app/pages", "pages", function*({ query }) {
  const after = query.get("after")
  const { data, next } = yield* read("list_pages", {
    components: false,
    counts: true,
    limit: pageSize,
    after: after ?? undefined
  })
  return {
    title: "Status pages",
    live: ["component.status_changed", "incident.*"],
    head: {
      note: "What your customers see.",
      actions: (
        <>
          <a class="button plain" href="/app/images">Images</a>
          <NewPage />
        </>
      )
    },
    body: (
      <section class="panel">
        <List
          none={[
            "No status pages yet",
            "A status page shows the state of your service and tells subscribers about incidents. It takes a name and a minute."
          ]}
          action={<NewPage />}
        >
          {data.map((page) => page.counts === undefined ? null : <Row counts={page.counts} page={page} />)}
        </List>
        {next === null ? null : <Pager said={counted(data.length, "page")} previous={null} next={`/app/pages?after=${next}`} />}
      </section>
    )
  }
})

export const newPageView = view("/app/pages/new", "pages", function*({ baseUrl, workspace }) {
  return {
    title: "New status page",
    head: { crumbs: [["/app/pages", "Status pages"]], note: "You can change all of this later." },
    body: (
      <Box>
        <CallForm call="create_page" id="new-page" then="/app/pages/{id}/components" said="Page created. Add what it shows.">
          <Field name="name" label="Name" required value={workspace?.name ?? ""} attributes={{ maxlength: 100 }} />
          <Field
            name="slug"
            label="Address"
            hint={`Comes after ${baseUrl}/s/. Default: derived from the name.`}
            attributes={{ maxlength: 48, pattern: "[a-z0-9\\-]+", autocapitalize: "none" }}
          />
          <PresetChoice value="daylight" hint="Each follows the visitor's light or dark setting." />
          <Submit>Create page</Submit>
        </CallForm>
      </Box>
    )
  }
})
