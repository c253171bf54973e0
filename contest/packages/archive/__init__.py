"""Reading strangers' archives: zip, tar and folders become one `Tree` of plain files, or a `PackageError`.

Everything here is built for hostile input. Nothing is ever extracted under a name that an archive chose:
contents go to numbered files in a private temporary folder, and names stay what they are, text.
"""
