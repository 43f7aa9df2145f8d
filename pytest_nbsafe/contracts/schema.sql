-- The tables that a contract reads. `nbsafe explain NBS501` shows this file.
-- Tables marked (of a run) hold rows only when the notebook was run.

CREATE TABLE cells ( -- each cell of the page
    cell INTEGER,    -- the cell's number on the page, from 1
    kind TEXT,       -- code, markdown or raw
    id TEXT,         -- its id in the file
    count INTEGER,   -- its recorded count, NULL without one
    tags TEXT,       -- its tags, with commas between
    source TEXT,     -- its text
    lines INTEGER,   -- how many lines the text has
    outputs INTEGER, -- how many outputs are saved with it
    fault TEXT       -- why it does not parse, empty when it does
);

CREATE TABLE statements ( -- each statement outside of functions; of a compound one its head
    cell INTEGER,       -- the cell's number on the page, from 1
    line INTEGER,       -- the line in the cell, from 1
    column INTEGER,     -- the column in the line, from 1
    end_line INTEGER,   -- the line where it ends
    end_column INTEGER, -- one past its last column
    kind TEXT,          -- assign, import, function, ..., empty when it defines nothing
    reads TEXT,         -- the names it reads, with commas between
    writes TEXT,        -- the names it binds
    mutates TEXT,       -- the names whose object it changes in place
    deletes TEXT,       -- the names it deletes
    calls TEXT          -- the names it calls
);

CREATE TABLE reads ( -- each name that a statement, or the body of a function, reads
    cell INTEGER, -- the cell's number on the page, from 1
    line INTEGER, -- the line in the cell, from 1
    name TEXT,    -- the name
    function TEXT -- the function whose body reads it, empty for a statement
);

CREATE TABLE defs ( -- each place that binds, deletes or changes a name of the notebook
    cell INTEGER,       -- the cell's number on the page, from 1
    line INTEGER,       -- the line in the cell, from 1
    column INTEGER,     -- the column in the line, from 1
    end_line INTEGER,   -- the line where it ends
    end_column INTEGER, -- one past its last column
    name TEXT,          -- the name
    kind TEXT,          -- assign, import, function, loop, mutation, delete, ...
    certain INTEGER     -- 1 when each run of the cell passes here or binds it elsewhere
);

CREATE TABLE uses ( -- each name that a cell needs from other cells, at its first read
    cell INTEGER,       -- the cell's number on the page, from 1
    line INTEGER,       -- the line in the cell, from 1
    column INTEGER,     -- the column in the line, from 1
    end_line INTEGER,   -- the line where it ends
    end_column INTEGER, -- one past its last column
    name TEXT,          -- the name
    certain INTEGER,    -- 1 when each run of the cell reads it
    guarded INTEGER,    -- 1 when it may be missing here
    via TEXT            -- the function whose body reads it, empty for the cell's own text
);

CREATE TABLE edges ( -- each name that a cell reads as another cell left it, in page order
    reader INTEGER,       -- the cell that reads
    reader_line INTEGER,  -- the line that reads
    definer INTEGER,      -- the cell that it reads from
    definer_line INTEGER, -- the line there
    name TEXT,            -- the name
    cause TEXT            -- the same as a sentence
);

CREATE TABLE orders ( -- each step of each order
    plan TEXT,        -- recorded, inferred or top-down
    chosen INTEGER,   -- 1 in the order that is replayed
    step INTEGER,     -- the step in the order, from 1
    cell INTEGER,     -- the cell's number on the page, from 1
    count INTEGER,    -- the count that the step stands for, or NULL
    session INTEGER,  -- the session, from 1
    recorded INTEGER, -- 1 when the page records this run, 0 when it is inferred
    reason TEXT       -- why the cell runs here
);

CREATE TABLE imports ( -- each name that an import binds
    cell INTEGER,       -- the cell's number on the page, from 1
    line INTEGER,       -- the line in the cell, from 1
    column INTEGER,     -- the column in the line, from 1
    end_line INTEGER,   -- the line where it ends
    end_column INTEGER, -- one past its last column
    name TEXT,          -- the name bound, * for all
    module TEXT,        -- the dotted module
    package TEXT,       -- its first part, empty for a relative import
    attribute TEXT,     -- what is taken from it, empty for `import module`
    level INTEGER,      -- the dots of a relative import
    guarded INTEGER,    -- 1 when a missing module is expected
    function TEXT       -- the function it stands in, empty outside of functions
);

CREATE TABLE calls ( -- each call
    call INTEGER,       -- its number in the notebook, which `arguments` refers to
    cell INTEGER,       -- the cell's number on the page, from 1
    line INTEGER,       -- the line in the cell, from 1
    column INTEGER,     -- the column in the line, from 1
    end_line INTEGER,   -- the line where it ends
    end_column INTEGER, -- one past its last column
    callee TEXT,        -- what is called, as written
    target TEXT,        -- the same through the imports: os.path.join; empty if unknown
    function TEXT       -- the function it stands in, empty outside of functions
);

CREATE TABLE arguments ( -- each argument of each call
    call INTEGER,     -- the call, as in `calls`
    cell INTEGER,     -- the cell's number on the page, from 1
    position INTEGER, -- its place among the arguments, from 1
    keyword TEXT,     -- its keyword; empty without one, * or ** for what is unpacked
    text TEXT,        -- a literal or a dotted name as written, empty for all else
    literal INTEGER   -- 1 for a literal
);

CREATE TABLE texts ( -- each text constant, docstrings left out
    cell INTEGER,       -- the cell's number on the page, from 1
    line INTEGER,       -- the line in the cell, from 1
    column INTEGER,     -- the column in the line, from 1
    end_line INTEGER,   -- the line where it ends
    end_column INTEGER, -- one past its last column
    value TEXT,         -- the text
    function TEXT       -- the function it stands in, empty outside of functions
);

CREATE TABLE magics ( -- each magic and each shell command
    cell INTEGER, -- the cell's number on the page, from 1
    line INTEGER, -- the line in the cell, from 1
    kind TEXT,    -- line-magic, cell-magic, shell, help, assign-shell, ...
    name TEXT,    -- the magic's name
    text TEXT     -- its arguments, or the command
);

CREATE TABLE functions ( -- each function and class of the notebook
    cell INTEGER,       -- the cell's number on the page, from 1
    line INTEGER,       -- the line in the cell, from 1
    column INTEGER,     -- the column in the line, from 1
    end_line INTEGER,   -- the line where it ends
    end_column INTEGER, -- one past its last column
    name TEXT,          -- its name
    parameters TEXT,    -- its parameters, with commas between
    reads TEXT,         -- the names of the notebook that its body reads
    writes TEXT,        -- the names that it declares global and binds
    calls TEXT          -- the names of the notebook that it calls
);

CREATE TABLE outputs ( -- each saved output
    cell INTEGER,     -- the cell's number on the page, from 1
    position INTEGER, -- its place among the cell's outputs, from 1
    kind TEXT,        -- stream, display_data, execute_result or error
    name TEXT,        -- stdout or stderr of a stream
    text TEXT,        -- its text, or its plain form
    ename TEXT,       -- the class of an error
    evalue TEXT       -- the message of an error
);

CREATE TABLE findings ( -- what the rules found, without what is ignored or silenced
    code TEXT,      -- NBS101
    name TEXT,      -- undefined-name
    severity TEXT,  -- error, warning or note
    verdict TEXT,   -- proved, observed, confirmed or suspected
    cell INTEGER,   -- the cell, NULL for the notebook as a whole
    line INTEGER,   -- the line in the cell, from 1
    column INTEGER, -- the column, from 1
    message TEXT    -- what it says
);

CREATE TABLE runs ( -- each run of a cell (of a run)
    run TEXT,        -- clean (top-down), replay (the recorded or inferred order), or second
    step INTEGER,    -- the step in the order, from 1
    cell INTEGER,    -- the cell's number on the page, from 1
    status TEXT,     -- ok, raised, timed-out, out-of-time, died, skipped or not-reached
    ename TEXT,      -- the class of what it raised, empty if nothing
    evalue TEXT,     -- its message
    line INTEGER,    -- the line that failed, NULL if none
    reason TEXT,     -- why it was skipped
    duration_s REAL, -- seconds by the clock
    cpu_s REAL       -- seconds of the processor
);

CREATE TABLE lineage ( -- each version of a name, a row for each parent (of a run)
    run TEXT,            -- clean (top-down), replay (the recorded or inferred order), or second
    name TEXT,           -- the name
    step INTEGER,        -- the step in the order, from 1
    statement INTEGER,   -- the statement in that run, from 1
    cell INTEGER,        -- the cell's number on the page, from 1
    line INTEGER,        -- the line in the cell, from 1
    parent TEXT,         -- a name that the value was made from, NULL for none
    parent_cell INTEGER, -- the cell that had made it
    parent_step INTEGER, -- the step that had made it
    imported INTEGER     -- 1 when an import bound the name
);

CREATE TABLE verdicts ( -- what the clean run says of saved outputs and read values (of a run)
    cell INTEGER, -- the cell's number on the page, from 1
    name TEXT,    -- the name that was read, NULL for the saved output
    verdict TEXT, -- same, differs, drift, nondeterministic or nothing-to-compare
    saved TEXT,   -- the first line of the saved output that differs
    clean TEXT    -- that line of the clean run
);
