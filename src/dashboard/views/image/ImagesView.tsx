/** The images that the workspace uploaded: what each shows, who uploaded it, its Markdown to use again, and its end. */
import type { Image } from "../../../../schema/image/Image.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { Pager, Panel } from "../../design/Parts.tsx"
import { type Columns, RecordTable } from "../../design/Table.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import { read, view } from "../../frame/View.ts"

const perPage = 50

const nameOf = ({ height, type, width }: Image) => `${type.toUpperCase()}, ${width} × ${height}`

const Size = ({ bytes }: { readonly bytes: number }) => {
  const { count } = useNumber()
  return <>{count(Math.ceil(bytes / 1000))} kB</>
}

const columns: Columns<Image> = [
  {
    name: "Image",
    cell: (image) => (
      <a class="thumb" href={image.url}>
        <img src={image.url} alt="" width={image.width} height={image.height} loading="lazy" />
        <span>{nameOf(image)}</span>
      </a>
    )
  },
  { name: "Size", class: "num", cell: ({ bytes }) => <Size bytes={bytes} /> },
  {
    name: "Uploaded",
    class: "named",
    cell: ({ by, createdAt }) => (
      <>
        <Moment at={createdAt} />
        <p class="note">{by}</p>
      </>
    )
  }
]

const Actions = ({ of: { id, url } }: { readonly of: Image }) => (
  <div class="buttons">
    <button type="button" class="plain tight" data-copy data-text={`![](${url})`} hidden>
      Copy Markdown<span class="sr">{` of ${id}`}</span>
    </button>
    <Confirm
      call="delete_image"
      id={`delete-${id}`}
      fixed={{ id }}
      said="Image deleted"
      label="Delete"
      does="Delete image"
      lost="It disappears from every text and page that shows it. Caches may keep it for an hour."
    />
  </div>
)

const note = "Pictures in incidents, postmortems and status pages. Upload them where you write, or as the logo of a page."

export const imagesView = view("/app/images", "pages", function*({ query }) {
  const before = query.get("before")
  const { data, next } = yield* read("list_images", { limit: perPage, ...(before === null ? {} : { before }) })
  return {
    title: "Images",
    head: { crumbs: [["/app/pages", "Status pages"]], note },
    body: (
      <Panel id="images" title="Images" flush>
        <RecordTable
          none={["No images yet", "Paste a picture into an update of an incident, or upload the logo of a page."]}
          of={data}
          idOf={({ id }) => id}
          columns={columns}
          actions={{ class: "end", cell: (image) => <Actions of={image} /> }}
        />
        <Pager
          said={`${data.length} shown`}
          shown={data.length}
          previous={before === null ? null : "/app/images"}
          next={next === null ? null : `/app/images?before=${next}`}
        />
      </Panel>
    )
  }
})
