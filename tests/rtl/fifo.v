// fifo - takes and gives up to LANES items a cycle, in order, lane 0 first.
//
// What is offered in a cycle can be taken in that cycle: it passes by when nothing is stored.  A
// place given back in a cycle can be filled in it.  So at any time at most `depth` items have been
// pushed and not yet taken, and the FIFO adds no cycle of its own.
module fifo #(
    parameter LANES = 1,
    parameter WIDTH = 8,
    parameter BITS = 4  // 2**BITS places
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire [           15:0] depth,      // 1 to 2**BITS
    input  wire [      LANES-1:0] in_valid,   // no lane without those below it
    output reg  [      LANES-1:0] in_ready,
    input  wire [LANES*WIDTH-1:0] in_data,
    output reg  [      LANES-1:0] out_valid,
    input  wire [      LANES-1:0] out_take,   // the lowest of the valid lanes
    output reg  [LANES*WIDTH-1:0] out_data
);
    reg [WIDTH-1:0] stored[0:2**BITS-1];
    reg [BITS-1:0] first, free;
    reg [15:0] count;  // of the stored items
    reg [15:0] pushed, taken;
    integer l;

    always @* begin
        taken = 0;
        for (l = 0; l < LANES; l = l + 1) if (out_take[l]) taken = taken + 1;
    end

    always @* begin
        pushed = 0;
        for (l = 0; l < LANES; l = l + 1) begin
            in_ready[l] = count + l[15:0] < depth + taken;
            if (in_valid[l] && in_ready[l]) pushed = pushed + 1;
        end
    end

    always @* begin
        out_valid = in_valid << count;
        out_data  = in_data << count * WIDTH;
        for (l = 0; l < LANES; l = l + 1)
            if (l[15:0] < count) begin
                out_valid[l] = 1;
                out_data[l*WIDTH+:WIDTH] = stored[first+l[BITS-1:0]];
            end
    end

    always @(posedge clk)
        if (rst) begin
            first <= 0;
            free  <= 0;
            count <= 0;
        end else begin
            for (l = 0; l < LANES; l = l + 1)
                if (l[15:0] < pushed) stored[free+l[BITS-1:0]] <= in_data[l*WIDTH+:WIDTH];
            first <= first + taken[BITS-1:0];
            free  <= free + pushed[BITS-1:0];
            count <= count + pushed - taken;
        end
endmodule
