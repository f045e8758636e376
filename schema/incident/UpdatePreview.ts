/** What visitors and subscribers would read of an update that is not posted yet. */
import { Schema } from "effect"
import { orNull, textLike } from "../Fields.ts"
import { PageId } from "../Ids.ts"

const PagePreview = Schema.Struct({
  pageId: PageId,
  pageName: textLike("Acme", "Name of the page"),
  url: textLike("https://belltower.example/s/acme#inc_01k9x2m4q8e7s9v3bthn5wza6c"),
  title: textLike("Identified: Slow checkout", "Heading of the news, in English"),
  text: textLike("We are rolling back.", "As the page shows it"),
  mail: orNull(
    Schema.Struct({
      subject: textLike("Acme: Identified: Slow checkout"),
      text: textLike("We are rolling back.", "Plain text of the mail")
    }),
    "What its email subscribers receive; null with notify set to false",
    null
  )
}).annotations({ identifier: "PagePreview" })

export const UpdatePreview = Schema.Struct({
  pages: Schema.Array(PagePreview).annotations({
    description: "Each page that would show it; none for an internal note, or an incident that no page shows"
  })
}).annotations({ identifier: "UpdatePreview" })
export type UpdatePreview = typeof UpdatePreview.Type
