/// What messages begin with.
let programName = "vicinity"
