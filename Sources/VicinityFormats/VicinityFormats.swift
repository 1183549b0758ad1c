// What readers take and give is declared there.
@_exported public import VicinityText
